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
/// stall_seconds, readers, variables, state; and for `staithe doctor`, who waits and since when. Throws NotFound if
/// there is no such stream, Timeout if its writer does not answer.
STAITHE_API Attributes describe(const std::string& stream, double timeout = 5.0);

/// Where this process looks for streams: STAITHE_RUN_DIR, or a directory of this user alone. Throws InvalidArgument if
/// STAITHE_RUN_DIR names no directory and none that could be made.
STAITHE_API std::string run_directory();

/// The names of the streams that live writers of this user's run directory hold open.
STAITHE_API std::vector<std::string> stream_names();

}  // namespace staithe
