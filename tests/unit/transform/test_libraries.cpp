#include "transform/verified/libraries.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "unit/transform/arrays.hpp"

namespace staithe::transform::verified {
namespace {

using transform::testing::like;
using transform::testing::random_walk;

const std::vector<Extents> shapes{{},          {1},          {2},          {3},           {5},
                                  {16},        {33},         {1000},       {40000},       {1, 7},
                                  {3, 3},      {17, 5},      {130, 170},   {2, 2, 2},     {4, 5, 6},
                                  {9, 40, 33}, {48, 48, 48}, {2, 3, 4, 5}, {7, 9, 8, 30}, {2, 3, 2, 4, 2, 3, 2}};

class Libraries : public ::testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        for (const KnownCodec& known : transform::known_codecs()) {
            if (known.info.name == GetParam() && known.codec == nullptr) {
                GTEST_SKIP() << known.info.missing;
            }
        }
    }
    template <class T>
    void check_all() {
        const Codec& codec = **find_codec(GetParam());
        Scratch scratch;
        for (const Extents& shape : shapes) {
            for (const double strangeness : {0.0, 0.1}) {
                const auto array = random_walk<T>(shape, 3, strangeness);
                for (const double bound : {1e-9, 1e-3, 0.1, 20.0}) {
                    for (const auto mode : {codecs::Mode::fast, codecs::Mode::dense}) {
                        std::vector<std::byte> coded;
                        ASSERT_TRUE(codec.encode(array.view(), {bound, std::nullopt, mode}, scratch, coded));
                        if (coded.empty()) {
                            continue;
                        }
                        auto decoded = like(array);
                        ASSERT_TRUE(codec.decode(coded, decoded.view(), scratch));
                        for (std::size_t i = 0; i < array.values.size(); ++i) {
                            const bool same = std::memcmp(&array.values[i], &decoded.values[i], sizeof(T)) == 0;
                            ASSERT_TRUE(same || std::abs(array.values[i] - decoded.values[i]) <= bound)
                                << to_string(shape) << " " << i << ": " << array.values[i] << " " << decoded.values[i];
                        }
                    }
                }
            }
        }
    }
};

TEST_P(Libraries, KeepTheBoundOfFloats) { check_all<float>(); }
TEST_P(Libraries, KeepTheBoundOfDoubles) { check_all<double>(); }

INSTANTIATE_TEST_SUITE_P(Known, Libraries, ::testing::Values("zfp", "sz3"),
                         [](const auto& parameter) { return parameter.param; });

TEST(Zfp, ReadsNothingBesideItsBytes) {
    auto library = make_zfp();
    if (!library) {
        GTEST_SKIP() << library.error().message;
    }
    std::mt19937_64 random(7);
    for (const Extents& shape : shapes) {
        if (shape.size() < 1 || shape.size() > 4) {
            continue;
        }
        std::vector<double> values(static_cast<std::size_t>(*volume(shape)));
        const auto block = MutableArrayView::row_major(values.data(), Dtype::f64, shape);
        for (const std::size_t size : {0U, 1U, 8U, 100U, 100000U}) {
            std::vector<std::byte> noise(size);
            for (std::byte& byte : noise) {
                byte = static_cast<std::byte>(random() | 0x80U);
            }
            static_cast<void>((*library)->decompress(noise, 1e-300, block));
        }
    }
}

}  // namespace
}  // namespace staithe::transform::verified
