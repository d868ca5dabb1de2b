#include "store/enclosed_source.hpp"

#include <utility>

namespace staithe::store {

std::optional<std::int64_t> enclosed_bytes(std::span<const BlockRef> refs, std::int64_t most) {
    std::int64_t bytes = 0;
    for (const BlockRef& ref : refs) {
        if (ref.encoding != Encoding::raw || ref.bytes < 0 || ref.bytes > most - bytes) {
            return std::nullopt;
        }
        bytes += enclosed_size(ref.bytes);
    }
    return bytes <= most ? std::optional(bytes) : std::nullopt;
}

base::Result<> EnclosedSource::hold(std::span<const BlockRef> refs, std::vector<std::byte> bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    if (enclosed_bytes(refs, size) != size) {
        return base::fail(ErrorCode::protocol, "its {} blocks do not have the {} bytes that came along with it",
                          refs.size(), size);
    }
    refs_.assign(refs.begin(), refs.end());
    bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return {};
}

base::Result<std::optional<ArrayView>> EnclosedSource::view(const BlockRef& ref, const BlockDescription& block) {
    if (auto checked = check(ref, block, Encoding::raw); !checked) {
        return base::fail(std::move(checked));
    }
    std::int64_t place = 0;
    for (const BlockRef& held : refs_) {
        if (held == ref) {
            return block.view(bytes_->data() + place);
        }
        place += enclosed_size(held.bytes);
    }
    return tl::unexpected(unusable(ref, block, "it did not come along with its step"));
}

}  // namespace staithe::store
