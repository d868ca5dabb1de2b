// What Python's tests do not see: every operation on extreme values (for the sanitizers), memory of any place and
// order, tiles that do not come out even. Results are compared with NumPy's in tests/python/test_derive.py.
#include "transform/expression/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "transform/default_arithmetic.hpp"
#include "transform/expression/tiles.hpp"

namespace staithe::transform::expression {
namespace {

constexpr Dtype kinds[] = {Dtype::boolean, Dtype::i64, Dtype::u64,  Dtype::f32, Dtype::f64,
                           Dtype::f128,    Dtype::c64, Dtype::c128, Dtype::c256};

/// Those that can be elements of that kind.
std::vector<Element> extremes(Dtype kind) {
    using Whole = std::numeric_limits<std::int64_t>;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Number numbers[] = {false,
                              true,
                              std::int64_t{0},
                              std::int64_t{-1},
                              Whole::min(),
                              Whole::max(),
                              std::int64_t{64},
                              0.0,
                              -0.0,
                              1e300,
                              -1e300,
                              9.3e18,
                              infinity,
                              std::nan(""),
                              std::complex<double>(0, 0),
                              std::complex<double>(-1e300, infinity)};
    std::vector<Element> elements;
    for (const Number& number : numbers) {
        const Category category = category_of(kind_of(number));
        if (kind == Dtype::boolean ? category == Category::boolean : category <= category_of(kind)) {
            elements.push_back(element_of(number, kind));
        }
    }
    return elements;
}

TEST(Expression, EveryOperationTakesEveryNumber) {
    const DefaultArithmetic arithmetic;  // which leaves the flags of this thread as they were
    std::vector<Operation> operations(operators().begin(), operators().end());
    operations.insert(operations.end(), functions().begin(), functions().end());
    int applied = 0;
    for (const Operation& operation : operations) {
        for (const Dtype kind : kinds) {
            const auto [kernel, result] = operation.to(kind);
            if (kernel == nullptr) {
                continue;
            }
            EXPECT_LE(size_of(result), static_cast<std::int64_t>(sizeof(Element)));
            for (const Element& a : extremes(operation.has_condition ? Dtype::boolean : kind)) {
                for (const Element& b : extremes(kind)) {
                    const void* const arguments[] = {a.bytes, b.bytes, b.bytes};
                    Element made;
                    kernel(1, made.bytes, arguments);
                    ++applied;
                }
            }
        }
    }
    EXPECT_GT(applied, 5000);
}

/// 2 * a + b, of any views.
void expect_sums(const ArrayView& a, const ArrayView& b, const MutableArrayView& to) {
    const auto expression = Expression::parse("2 * a + b");
    const Dtype dtypes[] = {a.dtype, b.dtype};
    const auto program = expression->compile(dtypes);
    ASSERT_TRUE(program);
    ASSERT_TRUE(program->evaluate(std::vector{a, b}, to, 3));
}

double at(const ArrayView& view, std::int64_t i, std::int64_t j) {
    double value = 0.0;
    std::memcpy(&value, static_cast<const std::byte*>(view.data) + i * view.strides[0] + j * view.strides[1],
                sizeof(value));
    return value;
}

TEST(Expression, MemoryMayLieAnyhow) {
    for (const Extents& shape : {Extents{1, 1}, {3, 7}, {164, 286}, {2, 5000}, {3000, 33}, {1025, 1}}) {
        const auto count = static_cast<std::size_t>(shape[0] * shape[1]);
        std::vector<std::byte> unaligned(count * 8 + 1);
        std::vector<double> rows(count);
        std::vector<double> columns(count);
        std::vector<double> made(count);
        std::iota(rows.begin(), rows.end(), 0.0);
        std::iota(columns.begin(), columns.end(), 0.5);
        std::memcpy(unaligned.data() + 1, rows.data(), count * 8);
        const auto a = ArrayView::row_major(rows.data(), Dtype::f64, shape);
        const auto odd = ArrayView::row_major(unaligned.data() + 1, Dtype::f64, shape);
        const ArrayView b{columns.data(), Dtype::f64, shape, column_major_strides(shape, 8)};
        const ArrayView backwards{&rows.back(), Dtype::f64, shape, {-8 * shape[1], -8}};
        const ArrayView repeated{rows.data(), Dtype::f64, shape, {0, 8}};
        const ArrayView one{columns.data(), Dtype::f64, shape, {0, 0}};
        const auto to = MutableArrayView::row_major(made.data(), Dtype::f64, shape);
        const MutableArrayView to_columns{made.data(), Dtype::f64, shape, column_major_strides(shape, 8)};
        for (const ArrayView& first : {a, odd, b, backwards, repeated, one}) {
            for (const ArrayView& second : {a, odd, b, backwards, repeated, one}) {
                for (const MutableArrayView& destination : {to, to_columns}) {
                    expect_sums(first, second, destination);
                    for (std::int64_t i = 0; i < shape[0]; ++i) {
                        for (std::int64_t j = 0; j < shape[1]; j += 5) {
                            ASSERT_EQ(at(destination, i, j), 2 * at(first, i, j) + at(second, i, j));
                        }
                    }
                }
            }
        }
    }
}

TEST(Expression, TruthsMayBeAnyBytesAndResultsWider) {
    const std::uint8_t truths[] = {0, 1, 2, 255};
    const std::int16_t numbers[] = {1, 2, 3, 4};
    long double made[4] = {};
    const auto expression = Expression::parse("where(~t, 10, n)");
    const Dtype dtypes[] = {Dtype::boolean, Dtype::i16};
    const auto program = expression->compile(dtypes);
    ASSERT_TRUE(program);
    EXPECT_EQ(program->dtype(), Dtype::i64);
    ASSERT_TRUE(program->evaluate(
        std::vector{ArrayView::row_major(truths, Dtype::boolean, {4}), ArrayView::row_major(numbers, Dtype::i16, {4})},
        MutableArrayView::row_major(made, Dtype::f128, {4})));
    EXPECT_EQ((std::vector<long double>(made, made + 4)), (std::vector<long double>{10, 2, 3, 4}));
}

TEST(Expression, WhatIsWrittenTwiceIsComputedOnce) {
    const auto expression = Expression::parse("z = (a + b)**2 / sqrt((a + b)**2)");
    EXPECT_EQ(expression->name(), "z");
    EXPECT_EQ(expression->variables(), (std::vector<std::string>{"a", "b"}));
    const double a[] = {3.0};
    const double b[] = {4.0};
    double made[1] = {};
    const Dtype dtypes[] = {Dtype::f64, Dtype::f64};
    ASSERT_TRUE(expression->compile(dtypes)->evaluate(
        std::vector{ArrayView::row_major(a, Dtype::f64, {1}), ArrayView::row_major(b, Dtype::f64, {1})},
        MutableArrayView::row_major(made, Dtype::f64, {1})));
    EXPECT_EQ(made[0], 7.0);
}

TEST(Expression, TilesCoverAllAndAreNotLarger) {
    for (const Extents& shape : {Extents{}, {1}, {1024}, {1025}, {164, 286}, {3, 1, 4000}, {50, 7, 33}, {1, 1, 1}}) {
        const Tiles tiles(shape, 1024);
        std::int64_t elements = 0;
        for (std::int64_t i = 0; i < tiles.count(); ++i) {
            const Box tile = tiles.at(i);
            EXPECT_TRUE(fits(tile, shape));
            EXPECT_LE(*volume(tile.count), 1024);
            elements += *volume(tile.count);
        }
        EXPECT_EQ(elements, *volume(shape));
    }
}

}  // namespace
}  // namespace staithe::transform::expression
