// What pins a step of a stream, in the process that reads it.
#pragma once

#include <optional>
#include <utility>

namespace staithe::python {

/// How often this process was forked off: another number means another process. Guarded by the GIL.
inline unsigned fork_count = 0;

/// Takes an object out of the reach of destructors.
template <class T>
void leak(T&& object) {
    static_cast<void>(new T(std::forward<T>(object)));  // NOLINT(cppcoreguidelines-owning-memory)
}

/// A part of a step. Its end is told to the writer; but a forked child must not tell so of what its parent still reads.
template <class T>
class Pin {
  public:
    explicit Pin(T pinned) : pinned_(std::move(pinned)) {}
    Pin(Pin&& other) noexcept : pinned_(std::exchange(other.pinned_, std::nullopt)), fork_count_(other.fork_count_) {}
    Pin& operator=(Pin&& other) noexcept {
        std::swap(pinned_, other.pinned_);
        std::swap(fork_count_, other.fork_count_);
        return *this;
    }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() { reset(); }

    void reset() noexcept {
        if (pinned_ && fork_count_ != fork_count) {
            leak(std::move(*pinned_));
        }
        pinned_.reset();
    }
    [[nodiscard]] explicit operator bool() const noexcept { return pinned_.has_value(); }
    [[nodiscard]] const T& operator*() const noexcept { return *pinned_; }

  private:
    std::optional<T> pinned_;
    unsigned fork_count_ = fork_count;
};

}  // namespace staithe::python
