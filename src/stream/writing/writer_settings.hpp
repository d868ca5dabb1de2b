// What a writer's options come to: arguments first, then STAITHE_STREAMS and STAITHE_PLACEMENT, then defaults.
#pragma once

#include <staithe/options.hpp>

#include "base/result.hpp"
#include "stream/directing/director_settings.hpp"
#include "transport/directory/search.hpp"

namespace staithe::stream {

struct WriterSettings {
    DirectorSettings director;
    std::optional<double> timeout;  // that the user has chosen
    transport::Places places;       // where a rank above 0 looks for rank 0, beside the run directory
    bool depth_is_ours = false;     // nobody has said how deep the queue is to be, and a full one is waited for
    std::string spill_directory;    // if the queue spills
    Errors error;                   // of variables
    bool at_server = false;         // that has the blocks, and directs the stream
};

/// What compresses the file that a stream is placed in.
base::Result<std::string> resolve_codec(const std::string& stream, const WriterOptions& options);
base::Result<WriterSettings> resolve_settings(const std::string& stream, const WriterOptions& options);

}  // namespace staithe::stream
