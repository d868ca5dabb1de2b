// What a sanitizer of this build does not let a test do.
#pragma once

namespace staithe::testing {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STAITHE_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define STAITHE_THREAD_SANITIZER 1
#endif
#endif

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

}  // namespace staithe::testing
