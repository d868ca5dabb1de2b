#include <staithe/array_view.hpp>

#include <array>
#include <numeric>

#include <gtest/gtest.h>

namespace staithe {
namespace {

constexpr std::int64_t enormous = std::int64_t{1} << 40;

TEST(Strides, OfBothOrders) {
    EXPECT_EQ(row_major_strides({2, 3, 4}, 8), (Extents{96, 32, 8}));
    EXPECT_EQ(column_major_strides({2, 3, 4}, 8), (Extents{8, 16, 48}));
    EXPECT_EQ(row_major_strides({}, 8), Extents{});
    EXPECT_EQ(row_major_strides({enormous, 3}, 8), (Extents{24, 8}));
}

TEST(SizeInBytes, NoticesOverflow) {
    EXPECT_EQ(size_in_bytes({}, Dtype::c256), 32);
    EXPECT_EQ(size_in_bytes({enormous, 1 << 19}, Dtype::f64), std::int64_t{1} << 62);
    EXPECT_EQ(size_in_bytes({enormous, 1 << 20}, Dtype::f64), std::nullopt);
    EXPECT_EQ(size_in_bytes({enormous, enormous, 0}, Dtype::f64), 0);
}

TEST(Contiguity, IgnoresLengthsOfOneAndEmptyArrays) {
    const int item = 0;
    const auto view = [&](const Extents& shape, const Extents& strides) {
        return ArrayView{&item, Dtype::i32, shape, strides};
    };
    EXPECT_TRUE(is_row_major(view({}, {})));
    EXPECT_TRUE(is_column_major(view({}, {})));
    EXPECT_TRUE(is_row_major(view({3, 4}, {16, 4})));
    EXPECT_FALSE(is_column_major(view({3, 4}, {16, 4})));
    EXPECT_TRUE(is_column_major(view({3, 4}, {4, 12})));
    EXPECT_TRUE(is_row_major(view({3, 1, 4}, {16, -77, 4})));
    EXPECT_FALSE(is_row_major(view({3}, {-4})));
    EXPECT_FALSE(is_row_major(view({3}, {0})));
    EXPECT_TRUE(is_row_major(view({3, 0}, {1, 1})));
}

TEST(Slice, PointsAtTheSelectedElements) {
    std::array<int, 20> numbers{};
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto view = MutableArrayView::row_major(numbers.data(), Dtype::i32, {4, 5});
    const auto part = slice(view, Selection{{3, -2, 2}, {1, 2, 2}});
    EXPECT_EQ(part.data, &numbers[16]);
    EXPECT_EQ(part.shape, (Extents{2, 2}));
    EXPECT_EQ(part.strides, (Extents{-40, 8}));
    const ArrayView same = slice(static_cast<ArrayView>(view), Selection{{3, -2, 2}, {1, 2, 2}});
    EXPECT_EQ(same.data, part.data);
    EXPECT_EQ(slice(view, Selection{{0, 1, 0}, {99, 1, 2}}).shape, (Extents{0, 2}));
}

}  // namespace
}  // namespace staithe
