#include <staithe/dtype.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace staithe {
namespace {

TEST(Dtype, NamesAreUniqueAndLeadBack) {
    for (std::size_t code = 0; code < dtype_count; ++code) {
        const Dtype dtype = dtype_from_code(code).value();
        EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype) << name_of(dtype);
        EXPECT_GT(size_of(dtype), 0) << name_of(dtype);
    }
}

TEST(Dtype, NamesSayTheSize) {
    EXPECT_STREQ(name_of(Dtype::f64), "f8");
    EXPECT_STREQ(name_of(Dtype::c256), "c32");
    EXPECT_STREQ(name_of(Dtype::boolean), "bool");
    for (std::size_t code = 1; code < dtype_count; ++code) {
        const Dtype dtype = dtype_from_code(code).value();
        EXPECT_EQ(std::to_string(size_of(dtype)), name_of(dtype) + 1);
    }
}

TEST(Dtype, RejectsWhatDoesNotExist) {
    EXPECT_EQ(dtype_from_name("f3"), std::nullopt);
    EXPECT_EQ(dtype_from_name(""), std::nullopt);
    EXPECT_EQ(dtype_from_code(dtype_count), std::nullopt);
    EXPECT_EQ(dtype_from_code(~std::uint64_t{0}), std::nullopt);
    EXPECT_STREQ(name_of(static_cast<Dtype>(200)), "unknown");
}

TEST(Dtype, FollowsFromTheElementType) {
    EXPECT_EQ(dtype_of<bool>(), Dtype::boolean);
    EXPECT_EQ(dtype_of<std::byte>(), Dtype::u8);
    EXPECT_EQ(dtype_of<const long>(), Dtype::i64);
    EXPECT_EQ(dtype_of<long long>(), Dtype::i64);
    EXPECT_EQ(dtype_of<unsigned short>(), Dtype::u16);
    EXPECT_EQ(dtype_of<double>(), Dtype::f64);
    EXPECT_EQ(dtype_of<std::complex<float>>(), Dtype::c64);
}

// numpy.can_cast(row, column, "safe").
constexpr std::array<std::string_view, dtype_count> safe_casts{
    "xxxxxxxxxxxxxxxx",  // bool
    ".xxxx....xxxxxxx",  // i1
    "..xxx.....xxxxxx",  // i2
    "...xx......xx.xx",  // i4
    "....x......xx.xx",  // i8
    "..xxxxxxxxxxxxxx",  // u1
    "...xx.xxx.xxxxxx",  // u2
    "....x..xx..xx.xx",  // u4
    "........x..xx.xx",  // u8
    ".........xxxxxxx",  // f2
    "..........xxxxxx",  // f4
    "...........xx.xx",  // f8
    "............x..x",  // f16
    ".............xxx",  // c8
    "..............xx",  // c16
    "...............x",  // c32
};

TEST(Dtype, SafeCastsAreThoseOfNumPy) {
    for (std::size_t from = 0; from < dtype_count; ++from) {
        for (std::size_t to = 0; to < dtype_count; ++to) {
            EXPECT_EQ(is_safe_cast(static_cast<Dtype>(from), static_cast<Dtype>(to)), safe_casts[from][to] == 'x')
                << name_of(static_cast<Dtype>(from)) << " as " << name_of(static_cast<Dtype>(to));
        }
    }
}

}  // namespace
}  // namespace staithe
