#include "transport/mapped_pool.hpp"

#include <iterator>

namespace staithe::transport {

bool MappedPool::holds(const Pieces::value_type& piece, std::int64_t offset, std::int64_t length) {
    const auto& [start, memory] = piece;
    const auto size = static_cast<std::int64_t>(memory.size());
    return offset >= start && offset - start <= size && length <= size - (offset - start);
}

std::span<std::byte> MappedPool::bytes_in(const Pieces::value_type& piece, std::int64_t offset, std::int64_t length) {
    const auto& [start, memory] = piece;
    return {memory.data() + (offset - start), static_cast<std::size_t>(length)};
}

base::Result<std::unique_ptr<MappedPool>> MappedPool::open(os::FileDescriptor file, os::Access access,
                                                           os::Populate populate, Stay stay) {
    if (auto checked = os::check_shared_memory(file); !checked) {
        return base::fail(std::move(checked));
    }
    return std::make_unique<MappedPool>(std::move(file), access, populate, stay);
}

base::Result<std::span<std::byte>> MappedPool::bytes(std::int64_t offset, std::int64_t length) {
    const auto outside = [&] {
        return base::fail(ErrorCode::protocol, "a peer named bytes {} + {} of its pool, which are not there", offset,
                          length);
    };
    if (offset < 0 || length < 0 || length > INT64_MAX - offset) {
        return outside();
    }
    const Pieces::value_type* const last_used = last_used_.load(std::memory_order_acquire);
    if (last_used != nullptr && holds(*last_used, offset, length)) {
        return bytes_in(*last_used, offset, length);
    }
    const std::lock_guard lock(mutex_);
    if (offset + length > mapped_ || mapped_ == 0) {
        const auto size = os::size_of_file(file_);
        if (!size) {
            return base::fail(size);
        }
        if (offset + length > *size || *size <= mapped_) {
            return outside();
        }
        if (stay_ == Stay::until_next_call) {
            pieces_.clear();
            mapped_ = 0;
        }
        auto piece = os::Mapping::map(file_, mapped_, *size - mapped_, access_, populate_);
        if (!piece) {
            return base::fail(std::move(piece));
        }
        pieces_.emplace(mapped_, *std::move(piece));
        mapped_ = *size;
    }
    const Pieces::value_type& piece = *std::prev(pieces_.upper_bound(offset));
    if (!holds(piece, offset, length)) {
        return outside();
    }
    last_used_.store(&piece, std::memory_order_release);
    return bytes_in(piece, offset, length);
}

base::Result<std::vector<std::byte>> MappedPool::copy_of(std::int64_t offset, std::int64_t length) {
    const auto original = bytes(offset, length);
    if (!original) {
        return base::fail(original);
    }
    return std::vector<std::byte>(original->begin(), original->end());
}

void MappedPool::follow(std::int64_t offset, std::int64_t length) {
    const std::int64_t mapped = mapped_.load(std::memory_order_relaxed);
    const bool is_mapped = offset >= 0 && length >= 0 && length <= mapped && offset <= mapped - length;
    if (!is_mapped) {
        static_cast<void>(bytes(offset, length));
    }
}

}  // namespace staithe::transport
