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

/// Parts of one kind, taken by two peers.
class EncodedPartsTest : public ::testing::Test {
  protected:
    void keep(std::uint64_t number, std::size_t bytes) { parts_.keep(kind_, key(number), payload(bytes)); }
    std::size_t take(std::uint64_t number) {
        const auto encoded = parts_.take(*kind_, key(number));
        return encoded ? encoded->payload.size() : 0;
    }

    EncodedParts parts_{100};
    std::shared_ptr<Traffic> one_ = std::make_shared<Traffic>(), other_ = std::make_shared<Traffic>();
    std::shared_ptr<EncodedParts::Kind> kind_ = parts_.kind_of(offer_of("T"), one_);

  private:
    void SetUp() override { ASSERT_EQ(parts_.kind_of(offer_of("T"), other_), kind_); }
};

TEST_F(EncodedPartsTest, AreSharedWhereSeveralPeersTakeTheSame) {
    EXPECT_TRUE(parts_.are_shared(*kind_));
    const auto alone = parts_.kind_of(offer_of("u"), one_);
    EXPECT_NE(alone, kind_);
    EXPECT_EQ(parts_.kind_of(offer_of("u"), one_), alone);
    EXPECT_FALSE(parts_.are_shared(*alone));
    Offer finer = offer_of("T");
    finer.bound = Bound::absolute(1.0);
    EXPECT_NE(parts_.kind_of(finer, other_), kind_);
    other_.reset();
    EXPECT_FALSE(parts_.are_shared(*kind_));
    keep(1, 10);
    EXPECT_FALSE(parts_.has_any(*kind_));
}

TEST_F(EncodedPartsTest, AreKeptUntilEachOtherPeerHasThem) {
    EXPECT_EQ(take(1), 0U);
    keep(1, 10);
    EXPECT_TRUE(parts_.has_any(*kind_));
    EXPECT_EQ(take(2), 0U);
    EXPECT_EQ(take(1), 10U);
    EXPECT_EQ(take(1), 0U);
    EXPECT_FALSE(parts_.has_any(*kind_));
    const auto third = std::make_shared<Traffic>();
    EXPECT_EQ(parts_.kind_of(offer_of("T"), third), kind_);
    keep(1, 10);
    keep(1, 20);  // by two at a time: the first stays
    EXPECT_EQ(take(1), 10U);
    EXPECT_EQ(take(1), 10U);
    EXPECT_EQ(take(1), 0U);
}

TEST_F(EncodedPartsTest, OfPeersThatHaveLeftAreGone) {
    const auto third = std::make_shared<Traffic>();
    EXPECT_EQ(parts_.kind_of(offer_of("T"), third), kind_);
    for (const auto& peer : {third, other_, other_}) {  // which has two connections
        parts_.join(peer);
    }
    keep(1, 10);
    parts_.leave(third);
    EXPECT_TRUE(parts_.has_any(*kind_)) << "two are left";
    parts_.leave(other_);
    EXPECT_TRUE(parts_.has_any(*kind_)) << "by its other connection";
    parts_.leave(other_);
    EXPECT_FALSE(parts_.has_any(*kind_));
    EXPECT_FALSE(parts_.are_shared(*kind_));
    EXPECT_EQ(take(1), 0U);
    EXPECT_EQ(parts_.kind_of(offer_of("T"), other_), kind_);
    EXPECT_TRUE(parts_.are_shared(*kind_));
}

TEST_F(EncodedPartsTest, GiveWayToNewerOnes) {
    for (const std::uint64_t number : {1, 2, 3}) {
        keep(number, 40);
    }
    EXPECT_EQ(take(1), 0U);
    EXPECT_EQ(take(2), 40U);
    keep(4, 60);
    EXPECT_EQ(take(3), 40U);
    EXPECT_EQ(take(4), 60U);
    keep(5, 101);
    EXPECT_FALSE(parts_.has_any(*kind_));
}

TEST_F(EncodedPartsTest, AreNotKeptForLongWhereNobodyTakesThem) {
    int kept = 0;
    const auto offer_one = [&](std::uint64_t number) {
        if (parts_.are_shared(*kind_)) {
            keep(number, 1);
            ++kept;
        }
    };
    for (std::uint64_t number = 0; number < 400; ++number) {
        offer_one(number);
    }
    EXPECT_LT(kept, 20);
    EXPECT_FALSE(parts_.has_any(*kind_));
    for (std::uint64_t number = 400; number < 1000; ++number) {
        offer_one(number);
    }
    EXPECT_GT(kept, 20) << "tried again";
    const int before = kept;
    const auto third = std::make_shared<Traffic>();
    EXPECT_EQ(parts_.kind_of(offer_of("T"), third), kind_);
    offer_one(1000);
    EXPECT_EQ(kept, before + 1) << "and when another one comes";
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
    other = offer;
    other.variants = {"scale-offset"};
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
