#include "store/mapped_source.hpp"

namespace staithe::store {

void MappedSource::expect(std::span<const BlockRef> refs) {
    for (const BlockRef& ref : refs) {
        pool_->follow(ref.offset, ref.bytes);
    }
}

base::Result<std::optional<ArrayView>> MappedSource::view(const BlockRef& ref, const BlockDescription& block) {
    if (auto checked = check(ref, block, Encoding::raw); !checked) {
        return base::fail(std::move(checked));
    }
    if (ref.offset % size_of(block.dtype) != 0) {
        return tl::unexpected(unusable(ref, block, "its elements would not be aligned in memory"));
    }
    const auto bytes = pool_->bytes(ref.offset, ref.bytes);
    if (!bytes) {
        return bytes.error().code == ErrorCode::protocol ? tl::unexpected(unusable(ref, block, bytes.error().message))
                                                         : base::fail(bytes);
    }
    return block.view(bytes->data());
}

}  // namespace staithe::store
