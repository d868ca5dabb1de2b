// Looking at live streams from outside, as `staithe ls`, `show` and `top` do.
//
// Read-only: nothing here joins a stream or slows one. Safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <staithe/export.hpp>
#include <staithe/value.hpp>

namespace staithe {

/// What a stream's director says of it: name, placement, program, pid, host, ranks, started, steps, bytes, queue,
/// stall_seconds, readers, variables, state; and for `staithe doctor`, who waits and since when. A URL,
/// "staithe://node7:7700/melt", is that of the process at this address. Throws NotFound if there is no such stream,
/// Timeout if its writer does not answer.
STAITHE_API Attributes describe(const std::string& stream, double timeout = 5.0);

/// Where this process looks for streams: STAITHE_RUN_DIR, or a directory of this user alone. Throws InvalidArgument if
/// STAITHE_RUN_DIR names no directory and none that could be made.
STAITHE_API std::string run_directory();

/// The names of the streams that writers hold open, as far as can be seen from here: those of this user's run
/// directory, and those that the processes at the addresses of STAITHE_ADDRESS know of; with an `address`,
/// "node7:7700", those that the process there knows of. Throws NotFound if nobody listens there.
STAITHE_API std::vector<std::string> stream_names(const std::optional<std::string>& address = std::nullopt,
                                                  double timeout = 5.0);

}  // namespace staithe
