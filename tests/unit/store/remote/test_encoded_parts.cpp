#include "store/remote/encoded_parts.hpp"

#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "store/remote/traffic.hpp"

namespace staithe::store::remote {
namespace {

using codecs::Bound;

Offer offer_of(const std::string& variable) { return {.variable = variable, .dtype = Dtype::f32}; }

std::vector<float> numbers(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0F);
    return values;
}

EncodedParts::Key key(std::uint64_t number) { return {0, number}; }

EncodedParts::Encoded payload(std::size_t bytes) { return {std::vector<std::byte>(bytes), {"dq"}}; }

TEST(EncodedParts, CountThePeersThatTakeTheSame) {
    EncodedParts parts;
    auto one = std::make_shared<Traffic>(), other = std::make_shared<Traffic>();
    EXPECT_EQ(parts.takers(offer_of("T"), one), 1U);
    EXPECT_EQ(parts.takers(offer_of("T"), one), 1U);
    EXPECT_EQ(parts.takers(offer_of("T"), other), 2U);
    EXPECT_EQ(parts.takers(offer_of("u"), other), 1U);
    Offer finer = offer_of("T");
    finer.bound = Bound::absolute(1.0);
    EXPECT_EQ(parts.takers(finer, other), 1U);
    other.reset();
    EXPECT_EQ(parts.takers(offer_of("T"), one), 1U);
}

TEST(EncodedParts, AreTakenAsOftenAsWasSaid) {
    EncodedParts parts;
    EXPECT_EQ(parts.take(key(1)), nullptr);
    parts.keep(key(1), payload(10), 0);
    EXPECT_TRUE(parts.is_empty());
    parts.keep(key(1), payload(10), 2);
    parts.keep(key(1), payload(20), 2);  // by two at a time: the first stays
    EXPECT_EQ(parts.take(key(2)), nullptr);
    EXPECT_EQ(parts.take(key(1))->payload.size(), 10U);
    EXPECT_EQ(parts.take(key(1))->payload.size(), 10U);
    EXPECT_EQ(parts.take(key(1)), nullptr);
    EXPECT_TRUE(parts.is_empty());
}

TEST(EncodedParts, GiveWayToNewerOnes) {
    EncodedParts parts(100);
    for (const std::uint64_t number : {1, 2, 3}) {
        parts.keep(key(number), payload(40), 1);
    }
    EXPECT_EQ(parts.take(key(1)), nullptr);
    EXPECT_NE(parts.take(key(2)), nullptr);
    parts.keep(key(4), payload(60), 1);
    EXPECT_NE(parts.take(key(3)), nullptr);
    EXPECT_NE(parts.take(key(4)), nullptr);
    parts.keep(key(5), payload(101), 1);
    EXPECT_TRUE(parts.is_empty());
}

TEST(EncodedParts, AreToldApartByAllThatTheyDependOn) {
    auto values = numbers(100'000);
    const Offer offer = offer_of("T");
    const auto view = [&](const Extents& shape) { return ArrayView::row_major(values.data(), Dtype::f32, shape); };
    const auto first = EncodedParts::key_of(view({100, 1000}), offer, Bound::absolute(1.0));
    ASSERT_TRUE(first);
    auto copied = values;
    EXPECT_EQ(EncodedParts::key_of(ArrayView::row_major(copied.data(), Dtype::f32, {100, 1000}), offer_of("u"),
                                   Bound::absolute(1.0)),
              first);
    EXPECT_NE(EncodedParts::key_of(view({1000, 100}), offer, Bound::absolute(1.0)), first);
    EXPECT_NE(EncodedParts::key_of(view({100, 1000}), offer, Bound::absolute(2.0)), first);
    EXPECT_NE(EncodedParts::key_of(view({100, 1000}), offer, Bound::relative(1.0)), first);
    Offer other = offer;
    other.fill = 1.0;
    EXPECT_NE(EncodedParts::key_of(view({100, 1000}), other, Bound::absolute(1.0)), first);
    other = offer;
    other.codec = "dq";
    EXPECT_NE(EncodedParts::key_of(view({100, 1000}), other, Bound::absolute(1.0)), first);
    auto integers = view({100, 1000});
    integers.dtype = Dtype::i32;
    EXPECT_NE(EncodedParts::key_of(integers, offer, Bound::absolute(1.0)), first);
    values[99'999] = 0.5F;
    EXPECT_NE(EncodedParts::key_of(view({100, 1000}), offer, Bound::absolute(1.0)), first);
}

TEST(EncodedParts, OfElementsThatLieApartAreToldByThemAlone) {
    auto values = numbers(4 * 3 * 2000);
    ArrayView rows{values.data(), Dtype::f32, {4, 2, 2000}, {3 * 8000, 8000, 4}};  // two of three
    const auto first = EncodedParts::key_of(rows, offer_of("T"), Bound::exact());
    ASSERT_TRUE(first);
    values[2 * 2000] = -1.0F;  // the third
    EXPECT_EQ(EncodedParts::key_of(rows, offer_of("T"), Bound::exact()), first);
    values[3 * 3 * 2000 + 1999] = -1.0F;
    EXPECT_NE(EncodedParts::key_of(rows, offer_of("T"), Bound::exact()), first);
    const ArrayView columns{values.data(), Dtype::f32, {2000, 12}, {4, 8000}};
    EXPECT_FALSE(EncodedParts::key_of(columns, offer_of("T"), Bound::exact()));
}

}  // namespace
}  // namespace staithe::store::remote
