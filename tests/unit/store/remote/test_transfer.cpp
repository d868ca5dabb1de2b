#include "store/remote/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::remote {
namespace {

constexpr std::int64_t mega = 1 << 20;

/// Units of a block of float32 that is wanted whole.
std::vector<Transfer> units_of(const Extents& shape, std::int64_t at_least) {
    BlockDescription block{
        .variable = "T", .dtype = Dtype::f32, .shape = shape, .box = Box::whole(shape), .unit = {}, .attributes = {}};
    const Piece piece{0, &block, {Box::whole(shape), Selection::all(shape)}};
    const std::int64_t bytes = size_in_bytes(shape, Dtype::f32).value();
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    const auto to = MutableArrayView::row_major(memory.get(), Dtype::f32, shape);
    std::vector<Transfer> units;
    append_in_units(units, Transfer::of(piece, {}, to), at_least);
    std::int64_t next = 0;
    for (const Transfer& unit : units) {
        EXPECT_EQ(unit.first, next) << "one after the other";
        next += unit.bytes();
    }
    EXPECT_EQ(next, bytes);
    return units;
}

TEST(Units, AreAsManyAsAreWantedWhereTheyAreNotShort) {
    EXPECT_EQ(units_of({256000, 3}, 3).size(), 2U) << "less than 3 MiB";
    EXPECT_EQ(units_of({262144, 3}, 3).size(), 3U);
    EXPECT_EQ(units_of({128, 128, 128}, 3).size(), 3U);
    EXPECT_EQ(units_of({300, 300, 300}, 3).size(), 26U) << "of 4 MiB at most";
    EXPECT_EQ(units_of({128, 128, 128}, 1).size(), 2U) << "of 4 MiB";
    EXPECT_EQ(units_of({1000}, 3).size(), 1U);
}

TEST(Units, AreOfAboutTheSameLengthAlongWhicheverDimensionIsLongEnough) {
    for (const Extents& shape : {Extents{128, 128, 128}, Extents{5, 3'000'000}, Extents{1, 1, 7'000'001},
                                 Extents{3, 2, 5, 999'983}, Extents{5, 800'000}, Extents{128, 400'000},
                                 Extents{300, 300, 300}, Extents{7, 400'000}, Extents{2, 3, 70'001, 5}}) {
        const auto units = units_of(shape, 3);
        const auto [least, most] = std::ranges::minmax(units, {}, &Transfer::bytes);
        EXPECT_LE(most.bytes(), 8 * mega) << to_string(shape);
        EXPECT_GE(2 * least.bytes(), most.bytes()) << to_string(shape);
    }
}

}  // namespace
}  // namespace staithe::store::remote
