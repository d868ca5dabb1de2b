// Blocks in the memory of the test, by store and offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "store/block_source.hpp"

namespace staithe::testing {

class BytesInAMap final : public store::BlockSource {
  public:
    store::BlockRef keep(std::uint32_t store, std::span<const std::byte> bytes) {
        const store::BlockRef ref{.store = store, .offset = next_, .bytes = static_cast<std::int64_t>(bytes.size())};
        next_ += ref.bytes + 64;
        stored_.emplace(std::pair(store, ref.offset), std::vector(bytes.begin(), bytes.end()));
        return ref;
    }

    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override {
        if (auto checked = check(ref, block, store::Encoding::raw); !checked) {
            return base::fail(std::move(checked));
        }
        const auto bytes = stored(ref);
        return bytes ? base::Result<std::optional<ArrayView>>(block.view(bytes->data()))
                     : tl::unexpected(unusable(ref, block, bytes.error().message));
    }

    /// All that is stored of a block.
    [[nodiscard]] base::Result<std::span<const std::byte>> stored(const store::BlockRef& ref) const {
        const auto found = stored_.find(std::pair(ref.store, ref.offset));
        if (found == stored_.end() || found->second.size() != static_cast<std::size_t>(ref.bytes)) {
            return base::fail(ErrorCode::protocol, "nothing was kept there");
        }
        return found->second;
    }

  private:
    std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::byte>> stored_;
    std::int64_t next_ = 0;
};

/// The class that the suites ask for.
struct InAMap {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& /*block*/,
                         std::span<const std::byte> elements) {
        return map->keep(store, elements);
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const { return map; }
    static constexpr bool shows = true;

    std::shared_ptr<BytesInAMap> map = std::make_shared<BytesInAMap>();
};

}  // namespace staithe::testing
