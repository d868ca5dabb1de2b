#include "os/event.hpp"

#include <sys/eventfd.h>

#include <utility>

namespace staithe::os {

base::Result<Event> Event::create() {
    auto descriptor = open_descriptor("make an event", [] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); });
    if (!descriptor) {
        return base::fail(std::move(descriptor));
    }
    return Event(*std::move(descriptor));
}

// Neither fails on a descriptor that does not block: what is set stays set, what is clear stays clear.
void Event::set() const { static_cast<void>(::eventfd_write(descriptor_.get(), 1)); }

void Event::clear() const {
    eventfd_t ignored = 0;
    static_cast<void>(::eventfd_read(descriptor_.get(), &ignored));
}

}  // namespace staithe::os
