// For whom somebody waits in a stream: what errors say, and what circles of waiting are found by.
#pragma once

#include "stream/directing/stream_state.hpp"
#include "stream/waiting/awaited.hpp"

namespace staithe::stream {

/// For room in the queue.
[[nodiscard]] Awaited awaited_by_writer(const StreamState& state, int rank);
/// For the end of the stream, which rank 0 has closed.
[[nodiscard]] Awaited awaited_by_closing(const StreamState& state);
/// Those of other hosts that may still ask for blocks, which lie in memory of the writers.
std::vector<const Member*> far_readers_with_steps(const StreamState& state);

/// For the next step.
[[nodiscard]] Awaited awaited_by_reader(const StreamState& state, const Member& member);

}  // namespace staithe::stream
