// Sleeping until a descriptor has something to say; and a flag that is one: a descriptor, readable while it is set.
#pragma once

#include <initializer_list>
#include <utility>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

/// Sleeps until one of them has bytes (or, where asked for, takes some), at most until the deadline. May return early.
struct Polled {
    int descriptor = -1;  // -1: nothing
    bool writable = false;
    bool readable = true;
};
void poll(std::initializer_list<Polled> descriptors, const base::Deadline& deadline);

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
