#include "store/devices/window.hpp"

#include <utility>

#include "store/devices/messages.hpp"

namespace staithe::store::devices {

base::Result<Window> Window::make(std::int64_t bytes) {
    Window window;
    auto claim = base::claim(base::Resource::memory, bytes, "share memory with a device");
    auto file = claim ? os::create_memory_file("staithe device") : base::fail(claim);
    auto ready = file ? os::allocate_range(*file, 0, bytes) : base::fail(file);
    if (ready) {
        ready = os::fix_size(*file);
    }
    auto mapping = ready ? os::Mapping::map(*file, 0, bytes, os::Access::read_write, os::Populate::yes)
                         : base::fail(std::move(ready));
    if (!mapping) {
        return base::fail(std::move(mapping));
    }
    window.claim_ = *std::move(claim);
    window.file_ = *std::move(file);
    window.mapping_ = *std::move(mapping);
    return window;
}

base::Result<Window> Window::open(const os::FileDescriptor& file, std::int64_t bytes) {
    Window window;
    auto checked = bytes > 0 && bytes <= most_window_bytes
                       ? os::check_shared_memory(file, bytes)
                       : base::fail(ErrorCode::protocol, "a window of {} bytes cannot be", bytes);
    auto mapping = checked ? os::Mapping::map(file, 0, bytes, os::Access::read_write, os::Populate::yes)
                           : base::fail(std::move(checked));
    if (!mapping) {
        return base::fail(std::move(mapping));
    }
    window.mapping_ = *std::move(mapping);
    return window;
}

}  // namespace staithe::store::devices
