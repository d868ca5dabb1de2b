// Blocks in the memory of the test, by store and offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
        const auto found = stored_.find(std::pair(ref.store, ref.offset));
        if (found == stored_.end() || found->second.size() != static_cast<std::size_t>(ref.bytes)) {
            return tl::unexpected(unusable(ref, block, "nothing was kept there"));
        }
        return block.view(found->second.data());
    }

  private:
    std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::byte>> stored_;
    std::int64_t next_ = 0;
};

}  // namespace staithe::testing
