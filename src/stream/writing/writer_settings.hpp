// What a writer's options come to: arguments first, then STAITHE_STREAMS and STAITHE_PLACEMENT, then defaults.
#pragma once

#include <staithe/options.hpp>

#include "base/result.hpp"
#include "stream/directing/director_settings.hpp"

namespace staithe::stream {

struct WriterSettings {
    DirectorSettings director;
    std::optional<double> timeout;  // that the user has chosen
    bool depth_is_ours = false;     // nobody has said how deep the queue is to be, and a full one is waited for
    std::string spill_directory;    // if the queue spills
};

base::Result<WriterSettings> resolve_settings(const std::string& stream, const WriterOptions& options);

/// The timeout that the user has chosen, in seconds: the argument, or STAITHE_TIMEOUT. Nothing: who waits for a living
/// peer goes on, and other waits end after `default_timeout`.
base::Result<std::optional<double>> resolve_timeout(std::optional<double> argument);
inline constexpr double default_timeout = 60.0;

base::Result<> check_group(const Group& group);

}  // namespace staithe::stream
