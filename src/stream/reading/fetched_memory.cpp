#include "stream/reading/fetched_memory.hpp"

#include <algorithm>
#include <utility>

namespace staithe::stream {
namespace {

constexpr std::int64_t least_kept = 128 << 10;  // smaller ones the heap keeps itself
constexpr std::int64_t takes_until_let_go = 16;

}  // namespace

std::shared_ptr<std::byte[]> FetchedMemory::take(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (bytes < least_kept) {
        return std::make_unique_for_overwrite<std::byte[]>(size);
    }
    std::unique_ptr<std::byte[]> memory;
    {
        const std::lock_guard lock(mutex_);
        ++takes_;
        const auto found = std::ranges::find(spare_, bytes, &Spare::bytes);
        if (found != spare_.end()) {
            memory = std::move(found->memory);
            spare_bytes_ -= bytes;
            spare_.erase(found);
        }
        used_bytes_ += bytes;
        most_used_bytes_ = std::max(most_used_bytes_, used_bytes_);
        trim();
    }
    if (memory == nullptr) {
        memory = std::make_unique_for_overwrite<std::byte[]>(size);
    }
    return {memory.release(), [self = shared_from_this(), bytes](std::byte* released) {
                self->give_back(std::unique_ptr<std::byte[]>(released), bytes);
            }};
}

std::int64_t FetchedMemory::held_bytes() const {
    const std::lock_guard lock(mutex_);
    return used_bytes_ + spare_bytes_;
}

void FetchedMemory::give_back(std::unique_ptr<std::byte[]> memory, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    used_bytes_ -= bytes;
    spare_bytes_ += bytes;
    spare_.push_back({std::move(memory), bytes, takes_});
    trim();
}

/// The oldest first.
void FetchedMemory::trim() {
    while (!spare_.empty() &&
           (spare_bytes_ + used_bytes_ > most_used_bytes_ || takes_ - spare_.front().since > takes_until_let_go)) {
        spare_bytes_ -= spare_.front().bytes;
        spare_.erase(spare_.begin());
    }
}

}  // namespace staithe::stream
