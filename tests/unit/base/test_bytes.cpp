#include "base/bytes.hpp"

#include <string>

#include <gtest/gtest.h>

namespace staithe::base {
namespace {

TEST(Bytes, RoundTripThroughWriterAndReader) {
    ByteWriter out;
    out.number(std::uint8_t{7});
    out.number(std::int64_t{-5});
    out.sized("text");
    out.number(2.5);
    out.sized(std::string_view());
    ByteReader in(out.bytes());
    EXPECT_EQ(in.number<std::uint8_t>(), 7);
    EXPECT_EQ(in.number<std::int64_t>(), -5);
    EXPECT_EQ(in.text(), "text");
    EXPECT_EQ(in.number<double>(), 2.5);
    EXPECT_EQ(in.text(), "");
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.left(), 0U);
}

TEST(ByteWriter, RefusesLengthsThatDoNotFit) {
    ByteWriter out;
    out.sized("text");
    EXPECT_TRUE(out.ok());
    const std::byte first{};
    out.sized({&first, std::size_t{UINT32_MAX} + 1});  // its bytes are not looked at
    EXPECT_FALSE(out.ok());
    out.sized("more");
    out.number(std::uint8_t{7});
    EXPECT_FALSE(out.ok());
    EXPECT_EQ(out.bytes().size(), 8U);
}

TEST(ByteReader, ReadsZerosAfterTheEndAndSaysSo) {
    ByteWriter out;
    out.number(std::uint32_t{1});
    ByteReader in(out.bytes());
    EXPECT_EQ(in.number<std::uint64_t>(), 0U);
    EXPECT_FALSE(in.ok());
    EXPECT_EQ(in.number<std::uint32_t>(), 0U) << "though these bytes would be there";
    EXPECT_TRUE(in.sized().empty());
    EXPECT_EQ(in.text(), "");
    EXPECT_FALSE(in.ok());
}

TEST(ByteReader, DoesNotBelieveLengthsBeyondTheEnd) {
    for (const std::uint32_t length : {5U, 1000U, UINT32_MAX}) {
        ByteWriter out;
        out.number(length);
        out.number(std::uint32_t{0});
        ByteReader in(out.bytes());
        EXPECT_TRUE(in.sized().empty());
        EXPECT_FALSE(in.ok());
    }
}

TEST(ByteReader, OfNothingFailsAtTheFirstRead) {
    ByteReader in({});
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.left(), 0U);
    static_cast<void>(in.number<std::uint8_t>());
    EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace staithe::base
