#include "store/store_set.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store {
namespace {

/// Counts what it is asked for.
class CountingSource final : public BlockSource {
  public:
    base::Result<> fetch(std::span<const BlockRef> /*refs*/, std::span<const Piece> pieces,
                         const MutableArrayView& /*destination*/) override {
        fetched.push_back(pieces.size());
        return {};
    }
    std::vector<std::size_t> fetched;
};

TEST(StoreSet, FetchesFromStoresOfOneSourceAtOnce) {
    const auto far = std::make_shared<CountingSource>();
    const auto near = std::make_shared<CountingSource>();
    StoreSet stores({far, far, near});
    BlockDescription block;
    block.variable = "pressure";
    const std::vector<BlockRef> refs{{.store = 0}, {.store = 2}, {.store = 1}, {.store = 2}, {.store = 3}};
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < refs.size(); ++i) {
        pieces.push_back({i, &block, {}});
    }
    EXPECT_EQ(stores.fetch(refs, pieces, {}).error().code, ErrorCode::protocol) << "of the store that is not there";
    pieces.pop_back();
    EXPECT_TRUE(stores.fetch(refs, pieces, {}));
    EXPECT_EQ(far->fetched, (std::vector<std::size_t>{2}));
    EXPECT_EQ(near->fetched, (std::vector<std::size_t>{2}));
}

TEST(StoreSet, OfServersHasEachForTheNumbersOfItsRank) {
    const auto second = std::make_shared<CountingSource>();
    StoreSet stores({nullptr, second, nullptr}, StoreSet::Numbers::of_servers);
    BlockDescription block;
    block.variable = "pressure";
    const std::vector<BlockRef> refs{{.store = 1}, {.store = 3'000'000'001}, {.store = 2}};
    std::vector<Piece> pieces{{0, &block, {}}, {1, &block, {}}};
    EXPECT_TRUE(stores.fetch(refs, pieces, {}));
    EXPECT_EQ(second->fetched, (std::vector<std::size_t>{2}));
    pieces.push_back({2, &block, {}});
    EXPECT_EQ(stores.fetch(refs, pieces, {}).error().code, ErrorCode::protocol) << "of a server that has none of them";
}

}  // namespace
}  // namespace staithe::store
