// The border of C: every call runs in `guard`, which lets no exception out. The one table from ErrorCode to
// staithe_status is in guard.cpp.
#pragma once

#include <utility>

#include <staithe/staithe.h>
#include <staithe/error.hpp>

namespace staithe::capi {

[[nodiscard]] staithe_status status_of(ErrorCode code) noexcept;

/// Keeps the message of the exception that is being handled for staithe_last_error; says which status it is.
[[nodiscard]] staithe_status status_of_current_exception() noexcept;

template <class Call>
[[nodiscard]] staithe_status guard(Call&& call) noexcept {
    try {
        std::forward<Call>(call)();
        return STAITHE_OK;
    } catch (...) {
        return status_of_current_exception();
    }
}

}  // namespace staithe::capi
