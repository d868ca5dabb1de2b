// The streams that this process has open: what becomes of them when it ends or forks.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace staithe::python {

class OpenStream {
  public:
    OpenStream();
    OpenStream(const OpenStream&) = delete;
    OpenStream& operator=(const OpenStream&) = delete;
    virtual ~OpenStream();

    /// Closes, without waiting for anyone, what the program did not.
    virtual void close_forgotten() noexcept = 0;
    /// Leaves everything as it is, for ever: the threads behind it belong to the parent of this process.
    virtual void forget() noexcept = 0;
};

/// Takes an object out of the reach of destructors.
template <class T>
void leak(T&& object) {
    static_cast<void>(new T(std::forward<T>(object)));  // NOLINT(cppcoreguidelines-owning-memory)
}

/// Makes Python call us at its end, and in the child after a fork.
void watch_process();

}  // namespace staithe::python
