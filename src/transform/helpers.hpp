// The threads that help to code arrays: of the whole process, however many arrays it codes at once.
//
// They start when they are first needed, end when nothing has come for a while, and are never so many at work that,
// with the threads they help, there are more than cores. A forked child has its own.
#pragma once

#include <cstddef>
#include <functional>

namespace staithe::transform {

/// For work that goes on beside what a program does, which needs cores, too.
inline constexpr int background_threads = 4;

/// A part of some work, done in this thread until none is left (true), or until `stays` says that it has to leave
/// (false). Throws nothing.
using Help = std::function<bool(const std::function<bool()>& stays)>;

/// Calls `work` in this thread, which always stays, and in up to `helpers` others as they come free. Returns when all
/// are back.
void work_together(std::size_t helpers, const Help& work);

/// Processor time that this thread has used, in seconds, and helpers for it.
double work_seconds();

/// Threads that are there to help, at work or idle.
std::size_t helper_threads();

}  // namespace staithe::transform
