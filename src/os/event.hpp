// A flag that poll() sees: a descriptor that is readable while it is set.
#pragma once

#include <utility>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

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
