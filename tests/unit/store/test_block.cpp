#include "store/block.hpp"

#include <gtest/gtest.h>

#include "store/block_ref.hpp"

namespace staithe::store {
namespace {

TEST(BlockDescription, ViewsItsDataInItsOrder) {
    BlockDescription block;
    block.variable = "x";
    block.dtype = Dtype::f64;
    block.shape = block.box.count = {2, 3};
    block.box.offset = {0, 0};
    EXPECT_EQ(block.data_bytes(), 48);
    EXPECT_EQ(block.view(nullptr).strides, (Extents{24, 8}));
    block.column_major = true;
    EXPECT_EQ(block.view(nullptr).strides, (Extents{8, 16}));
}

BlockDescription block_of(const Extents& count) {
    return {"x", Dtype::f64, false, false, count, Box::whole(count), "m", {{"a", 1}}};
}

std::string refusal(const BlockDescription& block, const std::optional<Extents>& offset,
                    const std::optional<Extents>& shape) {
    const auto found = placed(block, offset, shape);
    EXPECT_EQ(found ? ErrorCode::system : found.error().code, ErrorCode::invalid_argument);
    return found ? "" : found.error().message;
}

TEST(Placed, SaysWhereABlockLies) {
    const Extents count{2, 3};
    EXPECT_EQ(*placed(block_of(count), {}, {}), block_of(count));
    auto beginning = block_of(count);
    beginning.shape = {4, 6};
    EXPECT_EQ(*placed(block_of(count), {}, Extents{4, 6}), beginning);
    beginning.box.offset = {2, 1};
    EXPECT_EQ(*placed(block_of(count), Extents{2, 1}, Extents{4, 6}), beginning);
    EXPECT_TRUE(placed(block_of({}), Extents{}, Extents{}));
}

TEST(Placed, SaysWhatDoesNotGoTogether) {
    EXPECT_EQ(refusal(block_of({2}), Extents{1}, {}),
              "variable 'x': an offset needs the shape of the whole variable beside it");
    const std::string differ =
        "variable 'x': a block of shape (2) at the offset (0, 0) of a variable of shape (4, 6): the numbers of "
        "dimensions differ";
    EXPECT_EQ(refusal(block_of({2}), Extents{0, 0}, Extents{4, 6}), differ);
    EXPECT_NE(refusal(block_of({2}), {}, Extents{4, 6}), "");
    EXPECT_NE(refusal(block_of({2}), Extents{0, 0}, Extents{4}), "");
    for (const char* name : {"x", "attributes"}) {
        auto block = block_of({2});
        block.variable = name;
        block.attributes["bad"] = "\xff";
        EXPECT_EQ(refusal(block, {}, {}),
                  "variable '" + std::string(name) + "': the text of an attribute is not UTF-8");
    }
    auto unit = block_of({2});
    unit.unit = "\xff";
    EXPECT_NE(refusal(unit, {}, {}), "");
    auto name = block_of({2});
    name.variable = "a\nb";
    EXPECT_EQ(refusal(name, Extents{1}, {}),
              "variable 'a\\nb': an offset needs the shape of the whole variable beside it");
}

TEST(RunsByColumns, GapsOrNone) {
    const auto runs = [](const Extents& shape, const Extents& strides) {
        return runs_by_columns({nullptr, Dtype::f64, shape, strides});
    };
    EXPECT_TRUE(runs({2, 3}, {8, 16}));
    EXPECT_TRUE(runs({2, 3}, {-16, 64}));
    EXPECT_TRUE(runs({2, 1, 3}, {8, 8, 16}));
    EXPECT_FALSE(runs({2, 3}, {24, 8}));
    EXPECT_FALSE(runs({1, 3}, {8, 8}));
    EXPECT_FALSE(runs({6}, {8}));
    EXPECT_FALSE(runs({}, {}));
    EXPECT_FALSE(runs({2, 3}, {0, 8})) << "each row is the same";
}

TEST(BlockRef, ThatCannotBeTheBlockIsRefusedByName) {
    BlockDescription block;
    block.variable = "pressure";
    block.dtype = Dtype::f64;
    block.shape = block.box.count = {2, 3};
    block.box.offset = {0, 0};
    const BlockRef good{.store = 1, .offset = 64, .bytes = 48};
    EXPECT_TRUE(check(good, block, Encoding::raw));
    auto version = good, encoding = good, negative = good, outside = good, small = good, large = good;
    version.version = 2;
    encoding.encoding = static_cast<Encoding>(77);
    negative.offset = -8;
    outside.offset = INT64_MAX - 8;
    small.bytes = 40;
    large.bytes = 56;
    for (const BlockRef& ref : {version, encoding, negative, outside, small, large}) {
        const auto checked = check(ref, block, Encoding::raw);
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().code, ErrorCode::protocol);
        EXPECT_NE(checked.error().message.find("[0:2, 0:3] of 'pressure'"), std::string::npos)
            << checked.error().message;
    }
    auto payload = good;
    payload.encoding = Encoding::payload;
    payload.bytes = 30;
    EXPECT_TRUE(check(payload, block, Encoding::payload));
    payload.bytes = std::int64_t{1} << 40;
    EXPECT_FALSE(check(payload, block, Encoding::payload)) << "no codec makes a block that large";
}

}  // namespace
}  // namespace staithe::store
