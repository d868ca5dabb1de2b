#include "transform/verified/verification.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace staithe::transform::verified {
namespace {

template <class T>
std::vector<std::size_t> marked(const std::vector<std::uint16_t>& words, const std::vector<T>& values) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if ((words[i / 16] >> i % 16 & 1U) != 0) {
            places.push_back(i);
        }
    }
    return places;
}

template <class T>
class Verification : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Verification, Types);

TYPED_TEST(Verification, MasksWhatMustComeBackBitByBit) {
    using Limits = std::numeric_limits<TypeParam>;
    const std::vector<TypeParam> values{
        TypeParam(1.5),  Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
        TypeParam(-0.0), TypeParam(0.0),      Limits::denorm_min(), -Limits::min() / 2, Limits::min(),
        -Limits::min(),  Limits::max(),       Limits::lowest(),     TypeParam(1e20)};
    std::vector<std::uint16_t> words(words_for(values.size()));
    EXPECT_EQ(find_masked(values.data(), values.size(), {1.0, std::nullopt}, words.data()), 7U);
    EXPECT_EQ(marked(words, values), (std::vector<std::size_t>{1, 2, 3, 4, 5, 7, 8}));
    EXPECT_EQ(find_masked(values.data(), values.size(), {1.0, 1e20}, words.data()), 8U);
    EXPECT_EQ(marked(words, values).back(), 13U);
    EXPECT_EQ(find_masked(values.data(), values.size(), {1.0, 0.0}, words.data()), 8U);  // of both signs
    EXPECT_EQ(marked(words, values)[5], 6U);
}

TYPED_TEST(Verification, MaskedValuesBecomeTheirNeighbours) {
    const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
    std::vector<TypeParam> values(40, nan);
    values[2] = 7;
    values[3] = 8;
    values[20] = 9;
    std::vector<std::uint16_t> words(words_for(values.size()));
    EXPECT_EQ(find_masked(values.data(), values.size(), {1.0, std::nullopt}, words.data()), 37U);
    replace_masked(values.data(), values.size(), words.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i], i < 3 ? 7 : i < 20 ? 8 : 9) << i;
    }
    std::vector<TypeParam> all(17, nan);
    find_masked(all.data(), all.size(), {1.0, std::nullopt}, words.data());
    replace_masked(all.data(), all.size(), words.data());
    EXPECT_EQ(all, std::vector<TypeParam>(17, 0));
}

TYPED_TEST(Verification, FindsWhatIsOff) {
    const std::vector<TypeParam> given(20, TypeParam(10));
    std::vector<TypeParam> decoded = given;
    decoded[1] = TypeParam(10.5);  // exactly the bound
    decoded[2] = std::nextafter(TypeParam(10.5), TypeParam(11));
    decoded[3] = std::numeric_limits<TypeParam>::quiet_NaN();
    decoded[4] = std::numeric_limits<TypeParam>::infinity();
    decoded[5] = TypeParam(9.75);  // fill
    decoded[17] = TypeParam(20);
    decoded[18] = TypeParam(20);
    std::vector<std::uint16_t> words(words_for(given.size()));
    words[1] = 1U << 2U;  // 18 is masked
    const Verdict verdict = find_violations(given.data(), decoded.data(), given.size(), {0.5, 9.75}, words.data());
    EXPECT_EQ(verdict.violations, 5U);
    EXPECT_EQ(marked(words, given), (std::vector<std::size_t>{2, 3, 4, 5, 17, 18}));
    EXPECT_EQ(verdict.largest, std::numeric_limits<double>::infinity());
}

TEST(Verification, RoundingHidesNoViolation) {
    const double bound = 1.0;
    const double hair = 1e-18;  // which 1 + hair rounds away
    const std::vector<double> given{1.0, 1.0, -1.0, 0.0, hair};
    const std::vector<double> decoded{-hair, hair, hair, 1.0, 1.0};
    std::vector<std::uint16_t> words(1);
    EXPECT_EQ(
        find_violations(given.data(), decoded.data(), given.size(), {bound, std::nullopt}, words.data()).violations,
        2U);
    EXPECT_EQ(words[0], 0b101U);
}

TEST(Verification, AgreesWithLongerNumbers) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::vector<double> given(10000);
    std::vector<double> decoded(given.size());
    const double bound = 0.125;
    for (std::size_t i = 0; i < given.size(); ++i) {
        given[i] = normal(random);
        decoded[i] = given[i] + (i % 2 == 0 ? bound : -bound) * (i % 3 == 0 ? 1.0 : normal(random));
    }
    std::vector<std::uint16_t> words(words_for(given.size()));
    find_violations(given.data(), decoded.data(), given.size(), {bound, std::nullopt}, words.data());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const bool off = std::abs(static_cast<long double>(given[i]) - static_cast<long double>(decoded[i])) > bound;
        EXPECT_EQ((words[i / 16] >> i % 16 & 1U) != 0, off) << i;
    }
}

}  // namespace
}  // namespace staithe::transform::verified
