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
