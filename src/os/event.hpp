// Sleeping until a descriptor has something to say; and a flag that is one: a descriptor, readable while it is set.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

struct Polled {
    int descriptor = -1;  // -1: nothing
    bool writable = false;
    bool readable = true;
};
/// Sleeps until one of them has bytes, or takes some, as it is asked, at most until the deadline. May return early. Bit
/// i of the result says whether the one with index i was a reason.
unsigned poll(std::initializer_list<Polled> descriptors, const base::Deadline& deadline);
constexpr std::size_t most_polled = 4;

/// The same for any number of them: whether each was a reason.
std::vector<bool> poll_all(std::span<const Polled> descriptors, const base::Deadline& deadline);

class Event {
  public:
    static base::Result<Event> create();

    [[nodiscard]] int descriptor() const { return descriptor_.get(); }
    void set() const;
    void clear() const;

  private:
    explicit Event(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
    FileDescriptor descriptor_;
};

}  // namespace staithe::os
