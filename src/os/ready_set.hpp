// Which of many descriptors have something to say: epoll, and the time as one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

/// Descriptors by numbers of the caller's. Thread-safe: others may change what is wanted while one thread waits.
class ReadySet {
  public:
    static base::Result<ReadySet> create();

    struct Wanted {
        bool readable = false;
        bool writable = false;
        bool once = false;  // then nothing more is wanted, until it is said again
        friend bool operator==(const Wanted&, const Wanted&) = default;
    };
    /// Whose other side is gone is ready for anything; of whom nothing is wanted that is said once at most.
    base::Result<> add(int descriptor, std::uint64_t number);
    void want(int descriptor, std::uint64_t number, Wanted wanted) const;
    void remove(int descriptor) const;

    struct Ready {
        std::uint64_t number = 0;
        bool readable = false;
        bool writable = false;
    };
    /// Waits until some are, or returns at once; how many of these it has told of.
    enum class Wait { no, forever };
    std::size_t look(std::span<Ready> ready, Wait wait) const;

  private:
    explicit ReadySet(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
    FileDescriptor descriptor_;
};

/// A descriptor that is readable from a time on.
class Alarm {
  public:
    static base::Result<Alarm> create();
    [[nodiscard]] int descriptor() const { return descriptor_.get(); }
    void set(base::Clock::time_point time) const;
    void clear() const;

  private:
    explicit Alarm(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
    FileDescriptor descriptor_;
};

}  // namespace staithe::os
