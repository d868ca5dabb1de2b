// Result<T>: what every fallible function inside the library returns. No exception crosses a module.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <staithe/error.hpp>

namespace staithe::base {

struct Failure {
    ErrorCode code;
    std::string message;
};

template <class T = void>
using Result = tl::expected<T, Failure>;

/// `return fail(ErrorCode::timeout, "waited {} s for {}", seconds, name);`
template <class... Args>
[[nodiscard]] tl::unexpected<Failure> fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
    return tl::unexpected<Failure>(Failure{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// Passes a failure on unchanged.
template <class T>
[[nodiscard]] tl::unexpected<Failure> fail(Result<T>&& result) {
    return tl::unexpected<Failure>(std::move(result).error());
}

template <class T>
[[nodiscard]] tl::unexpected<Failure> fail(const Result<T>& result) {
    return tl::unexpected<Failure>(result.error());
}

/// The public edge: turns a failure into the exception of its code.
[[noreturn]] STAITHE_API void raise(Failure failure);

template <class T>
T value_or_raise(Result<T>&& result) {
    if (!result) {
        raise(std::move(result).error());
    }
    if constexpr (!std::is_void_v<T>) {
        return *std::move(result);
    }
}

}  // namespace staithe::base
