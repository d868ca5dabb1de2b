#include "memory/extents/growing_file.hpp"

namespace staithe::memory {

std::int64_t GrowingFile::reserve(std::int64_t length) {
    const std::lock_guard lock(mutex_);
    return std::exchange(end_, end_ + length);
}

base::Result<Extent> GrowingFile::make(std::int64_t length) {
    const std::int64_t offset = reserve(length);
    const auto allocated = os::allocate_range(file_, offset, length);
    auto mapping = allocated ? os::Mapping::map(file_, offset, length, os::Access::read_write, os::Populate::yes)
                             : base::Result<os::Mapping>(base::fail(allocated));
    if (!mapping) {
        os::discard_range(file_, offset, length);
    }
    const std::lock_guard lock(mutex_);
    if (!mapping) {
        if (!allocated && end_ == offset + length) {
            // The file has not grown. Else who tries again and again would use up the addresses of readers.
            end_ = offset;
        }
        return base::fail(std::move(mapping));
    }
    const Extent extent{offset, {mapping->data(), mapping->size()}};
    mappings_.emplace(offset, *std::move(mapping));
    return extent;
}

void GrowingFile::give_back(const Extent& extent) {
    const std::lock_guard lock(mutex_);
    mappings_.erase(extent.offset);
    os::discard_range(file_, extent.offset, static_cast<std::int64_t>(extent.memory.size()));
}

}  // namespace staithe::memory
