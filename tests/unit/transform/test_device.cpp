#include "transform/device.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "transform/coding.hpp"

namespace staithe::transform {
namespace {

class CheckPayloadTest : public ::testing::Test {
  protected:
    [[nodiscard]] ArrayView elements(const Extents& shape = {100, 1000}, Dtype dtype = Dtype::f32) const {
        return ArrayView::row_major(values_.data(), dtype, shape);
    }
    [[nodiscard]] static codecs::EncodeOptions within(double bound) {
        return {.codec = "dq", .bound = codecs::Bound::absolute(bound)};
    }

  private:
    std::vector<double> values_ = std::vector<double>(100'000, 0.3);
};

TEST_F(CheckPayloadTest, WhatWasAskedForIsTaken) {
    EXPECT_TRUE(check_payload(transform::encode(elements(), within(0.1)).value(), elements(), within(0.1)));
    EXPECT_TRUE(check_payload(transform::encode(elements(), within(0.1)).value(), elements(), within(0.2)))
        << "it is nearer";
    EXPECT_TRUE(check_payload(transform::encode(elements(), {.codec = "dq"}).value(), elements(), {.codec = "dq"}));
}

TEST_F(CheckPayloadTest, WhatIsOfSomethingElseIsNot) {
    const auto payload = transform::encode(elements(), within(0.1)).value();
    EXPECT_EQ(check_payload(payload, elements(), within(0.05)).error().code, ErrorCode::protocol);
    EXPECT_FALSE(check_payload(payload, elements(), {.codec = "dq"})) << "it was to be exact";
    EXPECT_FALSE(check_payload(payload, elements({1000, 100}), within(0.1)));
    EXPECT_FALSE(check_payload(payload, elements({100, 1000}, Dtype::i32), within(0.1)));
    codecs::EncodeOptions other = within(0.1);
    other.codec = "zfp";
    EXPECT_FALSE(check_payload(payload, elements(), other));
}

TEST_F(CheckPayloadTest, DamageIsFoundWhereverItIs) {
    const auto payload = transform::encode(elements(), within(0.1)).value();
    for (std::size_t i = 0; i < payload.size(); i += 1 + payload.size() / 500) {
        auto damaged = payload;
        damaged[i] ^= std::byte{0x10};
        EXPECT_FALSE(check_payload(damaged, elements(), within(0.1))) << i;
        EXPECT_FALSE(check_payload(std::span(payload).first(i), elements(), within(0.1))) << i;
    }
    EXPECT_FALSE(check_payload({}, elements(), within(0.1)));
}

}  // namespace
}  // namespace staithe::transform
