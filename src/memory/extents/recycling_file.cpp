#include "memory/extents/recycling_file.hpp"

#include "base/config.hpp"

namespace staithe::memory {

base::Result<os::Mapping> RecyclingFile::map(Range range) const {
    const auto allocated = os::allocate_range(file_, range.offset, range.length);
    auto mapping = allocated
                       ? os::Mapping::map(file_, range.offset, range.length, os::Access::read_write, os::Populate::yes)
                       : base::Result<os::Mapping>(base::fail(allocated));
    if (!mapping) {
        os::discard_range(file_, range.offset, range.length);
    }
    return mapping;
}

base::Result<Extent> RecyclingFile::make(std::int64_t length) {
    std::unique_lock lock(mutex_);
    const auto range = free_.take(length);
    if (!range) {
        return base::fail(ErrorCode::limit_reached, "no file has room for another {}", base::format_bytes(length));
    }
    lock.unlock();  // filling pages takes long
    auto mapping = map(*range);
    lock.lock();
    if (!mapping) {
        free_.give_back(*range);
        return base::fail(std::move(mapping));
    }
    const Extent extent{range->offset, {mapping->data(), mapping->size()}};
    mappings_.emplace(range->offset, *std::move(mapping));
    return extent;
}

void RecyclingFile::give_back(const Extent& extent) {
    const Range range{extent.offset, static_cast<std::int64_t>(extent.memory.size())};
    const std::lock_guard lock(mutex_);
    mappings_.erase(range.offset);
    os::discard_range(file_, range.offset, range.length);
    free_.give_back(range);
}

}  // namespace staithe::memory
