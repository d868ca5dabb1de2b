#include "store/parts.hpp"

#include <functional>

#include <gtest/gtest.h>

namespace staithe::store {
namespace {

/// As it lies: 6 x 5 x 4 numbers of 8 bytes.
BlockDescription block_of(bool column_major) {
    BlockDescription block;
    block.variable = "T";
    block.dtype = Dtype::f64;
    block.column_major = column_major;
    block.box.count = column_major ? Extents{4, 1, 5, 6} : Extents{6, 5, 1, 4};
    block.box.offset = Extents::filled(4, 7);
    block.shape = Extents::filled(4, 100);
    return block;
}

std::vector<std::byte> stored(const std::vector<StoredPart>& parts) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(places_of(parts).bytes));
    write_head(bytes.data(), parts);
    return bytes;
}

TEST(Parts, AreBoxesOfTheBlockAsItLies) {
    const std::vector<StoredPart> parts{
        {320, 100, true}, {160, 160, false}, {64, 64, false}, {96, 70, true}, {320, 320, false}};
    for (const bool column_major : {false, true}) {
        const auto bytes = stored(parts);
        const auto read = read_parts(bytes, std::ssize(bytes), block_of(column_major)).value();
        ASSERT_EQ(read.size(), parts.size());
        EXPECT_EQ(read[0].box, Box({0, 0, 0}, {2, 5, 4}));
        EXPECT_EQ(read[1].box, Box({2, 0, 0}, {1, 5, 4}));
        EXPECT_EQ(read[2].box, Box({3, 0, 0}, {1, 2, 4}));
        EXPECT_EQ(read[3].box, Box({3, 2, 0}, {1, 3, 4}));
        EXPECT_EQ(read[4].box, Box({4, 0, 0}, {2, 5, 4}));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            EXPECT_EQ(read[i].place, places_of(parts).places[i]);
            EXPECT_EQ(read[i].place % 64, 0);
            EXPECT_EQ(read[i].bytes, parts[i].bytes);
            EXPECT_EQ(read[i].is_payload, parts[i].is_payload);
        }
    }
}

TEST(Parts, OfANumberAreOne) {
    BlockDescription number;
    number.dtype = Dtype::i32;
    const auto one = stored({{4, 4, false}}), other = stored({{8, 8, false}});
    EXPECT_EQ(read_parts(one, std::ssize(one), number).value().front().box, Box({}, {}));
    EXPECT_FALSE(read_parts(other, std::ssize(other), number));
}

TEST(Parts, ThatAreNoBoxesOrNotOfAllOfItAreRefused) {
    const std::vector<std::vector<StoredPart>> wrong{
        {},
        {{320, 100, true}},                          // a third of it
        {{960, 100, true}, {8, 8, false}},           // and more
        {{240, 100, true}, {720, 100, true}},        // a slab and a half
        {{200, 100, true}, {760, 100, true}},        // neither rows
        {{0, 100, true}, {960, 100, true}},          // of nothing
        {{-320, 100, true}, {1280, 100, true}},      //
        {{321, 100, true}, {639, 100, true}},        // half a number
        {{INT64_MAX, 100, true}, {960, 100, true}},  //
        {{320, 321, false}, {640, 640, false}},      // not its elements
        {{320, 0, true}, {640, 640, false}},         // no payload
        {{320, 3 << 20, true}, {640, 640, false}},   // nor that
    };
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        const auto bytes = stored(wrong[i]);
        EXPECT_FALSE(read_parts(bytes, std::ssize(bytes), block_of(false))) << i;
    }
}

TEST(Parts, OfDamagedBytesAreRefused) {
    const std::vector<StoredPart> good{{320, 100, true}, {640, 300, true}};
    const auto refused = [&](const std::function<void(std::vector<std::byte>&)>& damage) {
        auto bytes = stored(good);
        damage(bytes);
        const auto read = read_parts(bytes, std::ssize(bytes), block_of(false));
        return !read && read.error().code == ErrorCode::protocol;
    };
    EXPECT_FALSE(refused([](auto&) {}));
    for (std::size_t byte : {0U, 4U, 8U, 15U, 16U, 23U, 31U, 32U, 35U, 47U}) {
        EXPECT_TRUE(refused([&](auto& bytes) { bytes[byte] ^= std::byte{0x40}; })) << byte;
    }
    for (const std::size_t size : {0U, 15U, 16U, 63U, 64U, 163U, 200U, 300U}) {
        EXPECT_TRUE(refused([&](auto& bytes) { bytes.resize(size); })) << size;
    }
}

TEST(Parts, SayInTheirFirstBytesHowLongTheirHeadIs) {
    const std::vector<StoredPart> parts(200, {8, 8, false});
    auto bytes = stored(parts);
    BlockDescription block;
    block.dtype = Dtype::f64;
    block.box = Box::whole({200});
    const auto head = bytes_of_head(std::span(bytes).first(16), std::ssize(bytes), block);
    EXPECT_EQ(head, 16 + 24 * 200);
    EXPECT_EQ(read_parts(std::span(bytes).first(static_cast<std::size_t>(head)), std::ssize(bytes), block)->size(),
              200);
    for (std::size_t byte = 0; byte < 16; ++byte) {
        auto wrong = bytes;
        wrong[byte] = std::byte{0xff};
        EXPECT_EQ(bytes_of_head(wrong, std::ssize(bytes), block), 16) << byte;
    }
    EXPECT_EQ(bytes_of_head(bytes, std::ssize(bytes) / 2, block), 16) << "no place for so many";
    block.box = Box::whole({199});
    EXPECT_EQ(bytes_of_head(bytes, std::ssize(bytes), block), 16) << "nor elements";
    EXPECT_EQ(bytes_of_head({}, 10, block), 10);
}

TEST(Parts, HaveTheDimensionsOfElementsThatAreWanted) {
    std::vector<double> memory(120);
    const auto view = MutableArrayView::row_major(memory.data(), Dtype::f64, {2, 1, 3, 4});
    EXPECT_EQ(as_it_lies(block_of(true), Box({1, 0, 2, 0}, {2, 1, 3, 4})), Box({0, 2, 1}, {4, 3, 2}));
    const auto elements = as_it_lies(block_of(true), view);
    EXPECT_EQ(elements.shape, (Extents{4, 3, 2}));
    EXPECT_EQ(elements.strides, (Extents{8, 32, 96}));
    EXPECT_EQ(elements.data, memory.data());
}

}  // namespace
}  // namespace staithe::store
