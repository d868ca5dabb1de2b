#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transform/codec.hpp"
#include "transform/dq/dq.hpp"

namespace staithe::transform {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Registry, SaysWhyACodecIsMissing) {
    const dq::Dq dq;
    codecs::CodecInfo absent{.name = "best", .summary = "", .missing = "install libbest-dev", .lossy_dtypes = {}};
    const std::vector<KnownCodec> known{{dq.describe(), &dq}, {absent, nullptr}};
    EXPECT_EQ(find_codec("dq", known), &dq);

    const auto missing = find_codec("best", known);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
    EXPECT_THAT(missing.error().message, HasSubstr("'best' is not here: install libbest-dev"));

    const auto unknown = find_codec("better", known);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
    EXPECT_THAT(unknown.error().message, HasSubstr("there are dq"));
    EXPECT_THAT(unknown.error().message, Not(HasSubstr("best,")));
}

TEST(Registry, EveryCodecIsThereOrSaysWhyNot) {
    for (const auto& [info, codec, is_loaded] : known_codecs()) {
        EXPECT_EQ(codec == nullptr, !info.missing.empty()) << info.name;
        EXPECT_LE(info.name.size(), 16U) << "payloads have no more room for " << info.name;
        EXPECT_EQ(find_codec(info.name).has_value(), codec != nullptr) << info.name;
        EXPECT_EQ(info.lossy, !info.lossy_dtypes.empty()) << info.name;
    }
}

}  // namespace
}  // namespace staithe::transform
