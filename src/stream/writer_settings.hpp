// What a writer's options come to: arguments first, then STAITHE_STREAMS and STAITHE_PLACEMENT, then defaults.
#pragma once

#include <staithe/options.hpp>

#include "base/result.hpp"
#include "stream/director.hpp"

namespace staithe::stream {

struct WriterSettings {
    Director::Settings director;
    double timeout = 0.0;
    bool depth_is_ours = false;   // nobody has said how deep the queue is to be, and a full one is waited for
    std::string spill_directory;  // if the queue spills
};

base::Result<WriterSettings> resolve_settings(const std::string& stream, const WriterOptions& options);

/// The timeout that an argument or the environment gives, in seconds.
base::Result<double> resolve_timeout(std::optional<double> timeout);

base::Result<> check_group(const Group& group);

}  // namespace staithe::stream
