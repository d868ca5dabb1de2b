#include "store/reducing/reduction.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::reducing {
namespace {

template <class T>
ArrayView row_of(const std::vector<T>& values, Dtype dtype) {
    return ArrayView::row_major(values.data(), dtype, {static_cast<std::int64_t>(values.size())});
}

template <class T>
std::vector<T> as(const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

template <class T>
std::vector<T> of_row(const char* recipe, const std::vector<double>& values) {
    const auto length = static_cast<std::int64_t>(values.size());
    auto reduction = Reduction::make(recipe, Dtype::f64, Box::whole({length}), std::nullopt).value();
    reduction.add(reduction.box(), row_of(values, Dtype::f64));
    return as<T>(reduction.take().value());
}

/// But for what rounding makes of sums in another order.
void expect_alike(const Reduction& got, const Reduction& wanted) {
    EXPECT_EQ(got.shape(), wanted.shape());
    const auto bytes = Reduction(got).take().value();
    const auto wanted_bytes = Reduction(wanted).take().value();
    if (wanted.dtype() == Dtype::i64) {
        EXPECT_EQ(bytes, wanted_bytes);
        return;
    }
    const auto values = as<double>(bytes);
    const auto wanted_values = as<double>(wanted_bytes);
    ASSERT_EQ(values.size(), wanted_values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(values[i], wanted_values[i], 1e-9) << to_string(wanted.recipe());
    }
}

TEST(Reductions, OfALargeMeanKeepTheirSpread) {
    std::vector<double> values(10000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = 1e9 + static_cast<double>(i % 3) - 1;  // of which the squares have no place for the spread
    }
    values.pop_back();  // as many of each
    EXPECT_NEAR(of_row<double>("var", values)[0], 2.0 / 3, 1e-10);
    EXPECT_NEAR(of_row<double>("std", values)[0], std::sqrt(2.0 / 3), 1e-10);
}

TEST(Reductions, ThatOthersMadeAreMerged) {
    std::mt19937 random(1);
    std::normal_distribution<double> some(1000, 3);
    std::vector<double> values(7000);
    std::ranges::generate(values, [&] { return some(random); });
    for (const char* recipe : {"var", "std", "mean", "min", "max", "histogram(20, 990, 1010)"}) {
        const Box whole = Box::whole({7, 1000});
        const auto view = ArrayView::row_major(values.data(), Dtype::f64, whole.count);
        auto once = Reduction::make(recipe, Dtype::f64, whole, {{0}}).value();
        auto merged = Reduction::like(once);
        once.add(whole, view);
        for (const auto& [first, count] : {std::pair(4, 3), std::pair(0, 1), std::pair(1, 3)}) {
            const Box rows{{first, 0}, {count, 1000}};
            auto other = Reduction::like(merged);
            other.add(rows, slice(view, Selection(rows)));
            ASSERT_TRUE(merged.add(other.parts()));
        }
        ASSERT_TRUE(merged.add(Reduction::like(merged).parts())) << "nothing changes nothing";
        expect_alike(merged, once);
    }
    auto reduction = Reduction::make("histogram(3, 0, 1)", Dtype::f64, Box::whole({5}), std::nullopt).value();
    EXPECT_EQ(reduction.add(std::vector<std::byte>(8)).error().code, ErrorCode::protocol);
}

TEST(Reductions, OfFurtherElementsAreAddedWhereTheirShapeIsTheSame) {
    const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const auto of_rows = [&values](const char* recipe, std::int64_t first, std::int64_t rows) {
        auto reduction = Reduction::make(recipe, Dtype::f64, Box::whole({rows, 2}), {{0}}).value();
        if (rows > 0) {
            reduction.add(reduction.box(), ArrayView::row_major(values.data() + 2 * first, Dtype::f64, {rows, 2}));
        }
        return reduction;
    };
    for (const char* recipe : {"sum", "mean", "min", "max", "var", "std", "histogram(4, 1, 10)"}) {
        const auto all = of_rows(recipe, 0, 5);
        auto added = of_rows(recipe, 0, 0);
        for (const auto& [first, rows] : {std::pair(0, 1), std::pair(1, 3), std::pair(4, 0), std::pair(4, 1)}) {
            ASSERT_TRUE(added.add(of_rows(recipe, first, rows)));
        }
        expect_alike(added, all);
        const auto other = Reduction::make(recipe, Dtype::f64, Box::whole({5, 2}), {{1}}).value();
        EXPECT_NE(added.add(other).error().message.find("has the shape (5"), std::string::npos);
        const auto narrow = Reduction::make(recipe, Dtype::f32, Box::whole({5, 2}), {{0}}).value();
        EXPECT_EQ(added.add(narrow).error().message, "it is f4, what was added before f8");
        expect_alike(added, all);
    }
}

TEST(Reductions, HistogramsHaveTheirEdgesAsNumPyHas) {
    // 0.3 is less than the third edge, 3 * 0.1; 0.7 than the seventh, 7 * 0.1, which is 0.7000000000000001.
    const std::vector<double> values{0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 1.0000001, -1e-300, NAN, INFINITY, -INFINITY};
    EXPECT_EQ(of_row<std::int64_t>("histogram(10, 0, 1)", values),
              (std::vector<std::int64_t>{1, 1, 2, 0, 0, 0, 1, 0, 0, 1}));
    EXPECT_EQ(of_row<std::int64_t>("histogram(1, 1, 2)", values), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(of_row<std::int64_t>("histogram(2, -1, 1)", {}), (std::vector<std::int64_t>{0, 0}));
}

TEST(Reductions, HistogramsOfALineOfBinsEach) {
    const std::vector<std::uint8_t> values{0, 1, 2, 3, 200, 255};
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}}) {
        auto reduction = Reduction::make("histogram(2, 0, 4)", Dtype::u8, Box::whole({2, 3}), axes).value();
        reduction.add(reduction.box(), ArrayView::row_major(values.data(), Dtype::u8, {2, 3}));
        const bool of_rows = axes.front() == 1;
        EXPECT_EQ(reduction.shape(), (of_rows ? Extents{2, 2} : Extents{3, 2}));
        EXPECT_EQ(as<std::int64_t>(reduction.take().value()),
                  of_rows ? (std::vector<std::int64_t>{2, 1, 0, 1}) : (std::vector<std::int64_t>{1, 1, 1, 0, 0, 1}));
    }
}

TEST(Reductions, WhatThereIsNoneOfIsSaid) {
    const auto said = [](const char* recipe, Dtype dtype, const Extents& shape) {
        const auto made = Reduction::make(recipe, dtype, Box::whole(shape), std::vector<std::int64_t>());
        return made ? "" : made.error().message;
    };
    EXPECT_NE(said("histogram(1, 0, 1)", Dtype::c64, {3}).find("complex numbers have no order"), std::string::npos);
    EXPECT_NE(said("histogram(1, 0, 1)", Dtype::u8, {1, 1, 1, 1, 1, 1, 1, 1}).find("dimension 9"), std::string::npos);
    EXPECT_NE(said("histogram(65536, 0, 1)", Dtype::u8, {std::int64_t{1} << 50}).find("no memory"), std::string::npos);
    EXPECT_NE(said("sum", Dtype::u8, {0, std::int64_t{1} << 40, std::int64_t{1} << 40}), "uncounted");
    EXPECT_NE(said("sum", Dtype::u8, {std::int64_t{1} << 40, std::int64_t{1} << 40}).find("more elements"),
              std::string::npos);
    auto of_nothing = Reduction::make("var", Dtype::f64, Box::whole({0}), std::nullopt).value();
    EXPECT_NE(of_nothing.take().error().message.find("no var of no elements"), std::string::npos);
}

}  // namespace
}  // namespace staithe::store::reducing
