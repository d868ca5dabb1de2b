// Circles of waiting: who is in one goes on only if it is broken. Functions of what the waiting notes say.
#pragma once

#include <string>
#include <vector>

#include "stream/waiting/waiting_note.hpp"

namespace staithe::stream {

/// The waits of a circle that goes through this one, which comes first; empty if none does.
///
/// A process is stuck in a stream when all its threads that use the stream wait, and none of these waits will end: each
/// needs a process that is stuck in its stream, or a program that has yet to open it and is stuck with all its ranks.
[[nodiscard]] std::vector<const NotedWait*> find_circle(WaitingNotes& notes, const NotedWait& own);

/// In one line, with what to do.
[[nodiscard]] std::string describe_circle(const std::vector<const NotedWait*>& circle);

}  // namespace staithe::stream
