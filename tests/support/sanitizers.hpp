// What a sanitizer of this build does not let a test do, and what it can tell.
#pragma once

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STAITHE_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define STAITHE_THREAD_SANITIZER 1
#endif
#endif

#if defined(STAITHE_ADDRESS_SANITIZER) || defined(STAITHE_THREAD_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

namespace staithe::testing {

/// Its shadow memory takes more address space than a limit (RLIMIT_AS) of a test allows.
#if defined(STAITHE_ADDRESS_SANITIZER) || defined(STAITHE_THREAD_SANITIZER)
inline constexpr bool address_space_can_be_limited = false;
#else
inline constexpr bool address_space_can_be_limited = true;
#endif

/// ThreadSanitizer ends a process that starts threads after it was forked by one with several.
#ifdef STAITHE_THREAD_SANITIZER
inline constexpr bool forked_children_may_start_threads = false;
#else
inline constexpr bool forked_children_may_start_threads = true;
#endif

/// ThreadSanitizer has one of its own, from the first that a program starts.
#ifdef STAITHE_THREAD_SANITIZER
inline constexpr int threads_of_sanitizer = 1;
#else
inline constexpr int threads_of_sanitizer = 0;
#endif

/// Where the calling thread is; nothing without a sanitizer.
inline void print_stack() {
#if defined(STAITHE_ADDRESS_SANITIZER) || defined(STAITHE_THREAD_SANITIZER)
    __sanitizer_print_stack_trace();
#endif
}

inline bool leaks_are_meant = false;

/// Ends a forked child as a program ends, with all that is to be done then. What it has of its parent is left alone on
/// purpose, and is no leak.
[[noreturn]] inline void exit_forked_child(int status) {
    leaks_are_meant = true;
    std::exit(status);
}

}  // namespace staithe::testing

#ifdef STAITHE_ADDRESS_SANITIZER
/// LeakSanitizer asks this at the end of the process.
extern "C" __attribute__((used)) inline int __lsan_is_turned_off() { return staithe::testing::leaks_are_meant ? 1 : 0; }

/// libfabric 1.17 keeps copies of what describes an endpoint, and each connection that was asked for, when the endpoint
/// is closed. Its functions have no names to tell these from what a caller forgets, so all that it allocates is passed.
extern "C" __attribute__((used)) inline const char* __lsan_default_suppressions() { return "leak:libfabric.so"; }
#endif
