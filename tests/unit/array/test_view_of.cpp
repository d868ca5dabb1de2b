// What C++ programs have in memory, as views.
#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <valarray>
#include <vector>

#include <staithe/array_view.hpp>

#include <gtest/gtest.h>

#include "support/mdspan.hpp"

namespace staithe {
namespace {

using testing::Mdspan;

template <class View>
void expect_view(const View& view, const void* data, Dtype dtype, const Extents& shape, const Extents& strides) {
    EXPECT_EQ(view.data, data);
    EXPECT_EQ(view.dtype, dtype);
    EXPECT_EQ(view.shape, shape);
    EXPECT_EQ(view.strides, strides);
}

template <class T>
void expect_number(Dtype dtype) {
    T number{};
    expect_view(view_of(number), &number, dtype, {}, {});
    std::vector<std::array<T, 3>> points(5);
    const auto item = static_cast<std::int64_t>(sizeof(T));
    expect_view(view_of(points), points.data(), dtype, {5, 3}, {3 * item, item});
}

TEST(ViewOf, HasTheDtypeOfEveryNumber) {
    expect_number<bool>(Dtype::boolean);
    expect_number<std::int8_t>(Dtype::i8);
    expect_number<short>(Dtype::i16);
    expect_number<int>(Dtype::i32);
    expect_number<long>(Dtype::i64);
    expect_number<long long>(Dtype::i64);
    expect_number<std::byte>(Dtype::u8);
    expect_number<std::uint16_t>(Dtype::u16);
    expect_number<unsigned>(Dtype::u32);
    expect_number<std::size_t>(Dtype::u64);
    expect_number<float>(Dtype::f32);
    expect_number<double>(Dtype::f64);
    expect_number<long double>(Dtype::f128);
    expect_number<std::complex<float>>(Dtype::c64);
    expect_number<std::complex<double>>(Dtype::c128);
    expect_number<std::complex<long double>>(Dtype::c256);
}

TEST(ViewOf, HasADimensionForEachThatIsNested) {
    std::vector<double> row(4);
    expect_view(view_of(row), row.data(), Dtype::f64, {4}, {8});
    expect_view(view_of(std::span(row).subspan(1)), &row[1], Dtype::f64, {3}, {8});
    std::valarray<float> values(3);
    expect_view(view_of(values), &values[0], Dtype::f32, {3}, {4});
    double matrix[2][3] = {};
    expect_view(view_of(matrix), matrix, Dtype::f64, {2, 3}, {24, 8});
    std::array<std::array<int, 3>, 2> nested{};
    expect_view(view_of(nested), nested.data(), Dtype::i32, {2, 3}, {12, 4});
    std::vector<std::array<std::array<int, 3>, 2>> many(5);
    expect_view(view_of(many), many.data(), Dtype::i32, {5, 2, 3}, {24, 12, 4});
    const std::vector<std::array<int, 3>> none;
    EXPECT_EQ(view_of(none).shape, (Extents{0, 3}));
}

TEST(ViewOf, MayBeWrittenWhereTheNumbersMay) {
    std::vector<double> values(3);
    const std::vector<double> constant(3);
    const double matrix[2][3] = {};
    const std::array<double, 3> numbers{};
    static_assert(std::is_same_v<decltype(view_of(values)), MutableArrayView>);
    static_assert(std::is_same_v<decltype(view_of(constant)), ArrayView>);
    static_assert(std::is_same_v<decltype(view_of(std::span<const double>(values))), ArrayView>);
    static_assert(std::is_same_v<decltype(view_of(matrix)), ArrayView>);
    static_assert(std::is_same_v<decltype(view_of(numbers)), ArrayView>);
    static_assert(std::is_same_v<decltype(view_of(std::as_const(values[0]))), ArrayView>);
    static_assert(std::is_same_v<decltype(view_of(view_of(constant))), ArrayView>);
    static_assert(std::is_same_v<decltype(view_of(view_of(values))), MutableArrayView>);
    static_assert(std::is_same_v<decltype(view_of(Mdspan<const double, 2>(matrix[0], {2, 3}, {3, 1}))), ArrayView>);
}

TEST(ViewOf, KeepsTheLayoutOfMultidimensionalViews) {
    std::array<double, 12> values{};
    expect_view(view_of(Mdspan<double, 2>(values.data(), {3, 4}, {4, 1})), values.data(), Dtype::f64, {3, 4}, {32, 8});
    const auto columns = view_of(Mdspan<double, 2>(values.data(), {3, 4}, {1, 3}));
    expect_view(columns, values.data(), Dtype::f64, {3, 4}, {8, 24});
    EXPECT_TRUE(is_column_major(columns));
    expect_view(view_of(Mdspan<double, 0>(values.data(), {}, {})), values.data(), Dtype::f64, {}, {});
}

TEST(ViewOf, TakesAnotherShapeInCOrder) {
    std::vector<double> values(12);
    const std::size_t rows = 3;
    expect_view(view_of(values, {rows, 4}), values.data(), Dtype::f64, {3, 4}, {32, 8});
    expect_view(view_of(values.data(), {2, 3}), values.data(), Dtype::f64, {2, 3}, {24, 8});
    const double* constant = values.data();
    static_assert(std::is_same_v<decltype(view_of(constant, {3})), ArrayView>);
    EXPECT_THROW(static_cast<void>(view_of(values, {3, 5})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(view_of(Mdspan<double, 2>(values.data(), {3, 4}, {1, 3}), {12})), InvalidArgument);
}

TEST(Span, IsRefusedWhereItWouldShowSomethingElse) {
    std::vector<double> values{1, 2, 3, 4};
    const ArrayView view = view_of(values, {2, 2});
    EXPECT_EQ(view.span<double>().data(), values.data());
    EXPECT_EQ(view.span<double>().size(), 4U);
    EXPECT_THROW(static_cast<void>(view.span<float>()), InvalidArgument);
    const ArrayView columns{values.data(), Dtype::f64, {2, 2}, {8, 16}};
    EXPECT_THROW(static_cast<void>(columns.span<double>()), InvalidArgument);
}

}  // namespace
}  // namespace staithe
