#include <staithe/dtype.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace
}  // namespace staithe
