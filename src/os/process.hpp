// Who this process is, and whether another one is still the one that it says it is.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace staithe::os {

int process_id();
unsigned user_id();
std::string host_name();

/// File name of the running program, such as "python3" or "lmp".
std::string executable_name();

/// When the process started, in clock ticks since boot; 0 if there is no such process, or it is ending. Together with
/// the pid it names a process for good: pids are used again.
base::Result<std::uint64_t> start_time_of(int pid);

/// Whether a signal, or a debugger, has stopped the process.
bool is_stopped(int pid);

/// The number of this thread; that of the main thread is the process's. Costs a load: it is asked for with every step.
inline int thread_id();
/// Whether this process has a thread of that number.
bool is_thread_here(int thread);

/// Processor time that this process has used, or this thread, in seconds.
double processor_seconds();
double thread_processor_seconds();

/// What the kernel calls its processors; "unknown" where it says nothing.
std::string processor_name();

/// The cores of the machine. Not those that this process may run on: pinned to one, it may still spin while its peer
/// runs on another.
int online_cores();

/// The cores that this process (its first thread) may run on: how many threads of it can work at a time.
int usable_cores();

/// The one that this thread runs on.
int current_core();

/// Has a thread of this process run on any usable core but that one. Does nothing if there is no other.
void keep_off_core(int thread, int core);

/// Nanoseconds of the monotonic clock, some milliseconds late: reading it costs a few nanoseconds.
std::int64_t coarse_monotonic_nanoseconds();

/// Seconds since 1970, for people to read.
double wall_clock_seconds();
/// The same in microseconds: a process that numbers things from there on gives none that one before it gave.
std::int64_t wall_clock_microseconds();

namespace detail {
extern constinit thread_local int thread_id;  // 0: not asked for yet
int ask_for_thread_id();
}  // namespace detail

inline int thread_id() { return detail::thread_id != 0 ? detail::thread_id : detail::ask_for_thread_id(); }

}  // namespace staithe::os
