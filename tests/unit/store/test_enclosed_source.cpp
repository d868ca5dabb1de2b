#include "store/enclosed_source.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store {
namespace {

BlockDescription described(std::int64_t count) {
    return {
        .variable = "n", .dtype = Dtype::i32, .shape = {count}, .box = {{0}, {count}}, .unit = {}, .attributes = {}};
}

class EnclosedSourceTest : public ::testing::Test {
  protected:
    const std::vector<BlockRef> refs_{{.store = 0, .offset = 64, .bytes = 12}, {.store = 1, .offset = 64, .bytes = 4}};
    EnclosedSource source_;
};

TEST_F(EnclosedSourceTest, ShowsEachBlockWhereItLies) {
    ASSERT_EQ(enclosed_bytes(refs_, 1000), 32) << "each on a multiple of 16";
    std::vector<std::byte> bytes(32);
    const std::int32_t last = 7;
    std::memcpy(bytes.data() + 16, &last, sizeof(last));
    ASSERT_TRUE(source_.hold(refs_, bytes));
    const auto shown = source_.view(refs_[1], described(1)).value();
    ASSERT_TRUE(shown);
    EXPECT_EQ(*static_cast<const std::int32_t*>(shown->data), 7);
    EXPECT_EQ(source_.view({.store = 2, .bytes = 4}, described(1)).error().code, ErrorCode::protocol);
    EXPECT_EQ(source_.view(refs_[1], described(3)).error().code, ErrorCode::protocol) << "of another size";
}

TEST_F(EnclosedSourceTest, RefusesBytesThatAreNotThoseOfTheBlocks) {
    EXPECT_EQ(source_.hold(refs_, std::vector<std::byte>(31)).error().code, ErrorCode::protocol);
    EXPECT_EQ(source_.hold(refs_, std::vector<std::byte>(48)).error().code, ErrorCode::protocol);
    const std::vector<BlockRef> absurd{{.bytes = INT64_MAX}, {.bytes = INT64_MAX}};
    EXPECT_EQ(source_.hold(absurd, std::vector<std::byte>(32)).error().code, ErrorCode::protocol);
    const std::vector<BlockRef> negative{{.bytes = -16}, {.bytes = 48}};
    EXPECT_EQ(source_.hold(negative, std::vector<std::byte>(32)).error().code, ErrorCode::protocol);
    const std::vector<BlockRef> encoded{{.encoding = Encoding::payload, .bytes = 32}};
    EXPECT_EQ(source_.hold(encoded, std::vector<std::byte>(32)).error().code, ErrorCode::protocol);
}

}  // namespace
}  // namespace staithe::store
