#include "store/store_set.hpp"

#include <memory>
#include <thread>
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

TEST(StoreSet, StoresAreAddedWhileOthersFetch) {
    constexpr std::size_t most = 500;
    const auto source = std::make_shared<CountingSource>();
    StoreSet stores({source}, StoreSet::Numbers::of_stores, most);
    BlockDescription block;
    block.variable = "pressure";
    const std::vector<Piece> pieces{{0, &block, {}}};
    std::thread other([&] {
        const std::vector<BlockRef> last{{.store = most - 1}};
        while (!stores.fetch(last, pieces, {})) {
            static_cast<void>(stores.view(last[0], block));
            static_cast<void>(stores.delay());
        }
    });
    for (std::size_t store = 1; store < most; ++store) {
        EXPECT_TRUE(stores.add(source));
        EXPECT_EQ(stores.size(), store + 1);
    }
    other.join();
    EXPECT_FALSE(stores.add(source));
    EXPECT_FALSE(StoreSet({source}).add(source)) << "nobody said that there would be more";
    EXPECT_EQ(source->fetched.size(), 1);
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
