#include "store/log/window.hpp"

#include <algorithm>

#include "os/files.hpp"

namespace staithe::store::log {

constexpr std::uint64_t read_at_once = std::uint64_t{64} << 10;

base::Result<std::span<const std::byte>> Window::at(std::int64_t offset, std::uint64_t count) {
    const auto has_them = [&] {
        return offset >= begin_ && offset + static_cast<std::int64_t>(count) <= begin_ + std::ssize(bytes_);
    };
    if (!has_them()) {
        bytes_.resize(std::max(count, read_at_once));
        const auto read = os::read_at(file_, offset, bytes_);
        bytes_.resize(read.value_or(0));
        begin_ = offset;
        if (!read) {
            return base::fail(read);
        }
        count = std::min<std::uint64_t>(count, *read);
    }
    return std::span(bytes_).subspan(static_cast<std::size_t>(offset - begin_), count);
}

base::Result<std::size_t> Window::copy(std::int64_t offset, std::span<std::byte> destination) {
    if (destination.size() >= read_at_once) {
        return os::read_at(file_, offset, destination);
    }
    const auto bytes = at(offset, destination.size());
    if (!bytes) {
        return base::fail(bytes);
    }
    std::ranges::copy(*bytes, destination.begin());
    return bytes->size();
}

}  // namespace staithe::store::log
