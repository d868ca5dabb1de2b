#include "store/space/statistics.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "unit/store/space/drawn_arrays.hpp"

namespace staithe::store::space {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One element after the other.
Statistics summarized_slowly(const DrawnArray& array) {
    Statistics statistics;
    for (const DrawnArray::Element& element : array.elements()) {
        ++statistics.count;
        if (element.is_nan()) {
            ++statistics.nans;
        } else {
            statistics.min = std::min(statistics.min, element.real);
            statistics.max = std::max(statistics.max, element.real);
        }
    }
    return statistics;
}

TEST(Statistics, AreThoseOfAllElements) {
    std::mt19937 random(3);
    for (int i = 0; i < 600; ++i) {
        const DrawnArray array(random, static_cast<Dtype>(i % static_cast<int>(dtype_count)), drawn_shape(random));
        ASSERT_EQ(summarize(array.view()), summarized_slowly(array))
            << name_of(array.view().dtype) << ' ' << to_string(array.view().shape);
    }
}

TEST(Statistics, LoseNoDigits) {
    const std::vector<std::uint64_t> large{UINT64_MAX, UINT64_MAX - 1};
    EXPECT_EQ(summarize(view_of(large)).min, static_cast<Number>(UINT64_MAX - 1));
    EXPECT_EQ(summarize(view_of(large)).max, static_cast<Number>(UINT64_MAX));
    const std::vector<std::int64_t> small{INT64_MIN, INT64_MIN + 1};
    EXPECT_EQ(summarize(view_of(small)).max, static_cast<Number>(INT64_MIN + 1));
}

TEST(Statistics, OfNothingAndOfNaNs) {
    EXPECT_EQ(summarize(ArrayView::row_major(nullptr, Dtype::f64, {0, 3})), Statistics());
    const std::vector<double> nans(3, nan);
    Statistics expected;
    expected.count = expected.nans = 3;
    EXPECT_EQ(summarize(view_of(nans)), expected);
    const std::vector<float> infinities(9, std::numeric_limits<float>::infinity());
    EXPECT_EQ(summarize(view_of(infinities)).min, std::numeric_limits<Number>::infinity());
    const double number = -2.5;
    EXPECT_EQ(summarize(view_of(number)), (Statistics{1, 0, -2.5, -2.5}));
}

TEST(Statistics, AddUp) {
    std::vector<double> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), -300.0);
    numbers[7] = nan;
    Statistics sum;
    for (std::size_t at = 0; at < numbers.size(); at += 100) {
        const std::span<double> part = std::span(numbers).subspan(at, 100);
        sum.add(summarize(view_of(part)));
    }
    EXPECT_EQ(sum, summarize(view_of(numbers)));
}

TEST(Statistics, SurviveBytes) {
    const std::vector<Statistics> all{
        {}, {5, 5}, {9, 2, -1.5, 1e4000L}, {1, 0, Number{UINT64_MAX}, Number{UINT64_MAX}}};
    for (const Statistics& statistics : all) {
        base::ByteWriter writer;
        write(writer, statistics);
        EXPECT_EQ(writer.bytes().size(), statistics_bytes);
        base::ByteReader reader(writer.bytes());
        EXPECT_EQ(read_statistics(reader).value(), statistics);
        EXPECT_EQ(reader.left(), 0U);
    }
}

TEST(Statistics, ThatNoElementsHaveAreRefused) {
    const std::vector<Statistics> wrong{{-1, 0}, {2, 3, 1, 2},     {2, -1, 1, 2}, {2, 0, 3, 2},
                                        {2, 0},  {2, 0, nan, nan}, {2, 2, 1, 2}};
    for (const Statistics& statistics : wrong) {
        base::ByteWriter writer;
        write(writer, statistics);
        base::ByteReader reader(writer.bytes());
        const auto read = read_statistics(reader);
        ASSERT_FALSE(read) << statistics.count << ' ' << statistics.nans;
        EXPECT_EQ(read.error().code, ErrorCode::protocol);
        EXPECT_EQ(read.error().message, fmt::format("statistics of a block that no elements have: {} elements, {} NaN",
                                                    statistics.count, statistics.nans));
    }
    base::ByteWriter writer;
    write(writer, {1, 0, 2, 3});
    base::ByteReader reader(writer.bytes().first(statistics_bytes - 1));
    EXPECT_FALSE(read_statistics(reader));
}

}  // namespace
}  // namespace staithe::store::space
