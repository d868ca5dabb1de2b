// What every codec that is there does with a tile, without the checksum that stands before it in a payload. What
// users see of it is tested in tests/python/codecs/test_conformance.py.
#include "transform/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "unit/transform/arrays.hpp"

namespace staithe::transform {
namespace {

using codecs::Mode;
using testing::like;
using testing::random_walk;

constexpr Mode modes[] = {Mode::fast, Mode::dense, Mode::automatic};

class EveryCodec : public ::testing::TestWithParam<KnownCodec> {
  protected:
    void SetUp() override {
        if (GetParam().codec == nullptr) {
            GTEST_SKIP() << GetParam().info.missing;
        }
    }

    template <class T>
    std::vector<std::byte> encoded(const testing::Array<T>& tile, Mode mode, double bound = 0.0) {
        std::vector<std::byte> out;
        EXPECT_TRUE(GetParam().codec->encode(tile.view(), {bound, 1e20, mode}, scratch_, out));
        return out;
    }
    template <class T>
    base::Result<> decode(std::span<const std::byte> coded, testing::Array<T>& tile) {
        return GetParam().codec->decode(coded, tile.view(), scratch_);
    }

  private:
    Scratch scratch_;  // of one test: what a tile leaves behind must not matter to the next
};

TEST_P(EveryCodec, TilesComeBackBitByBit) {
    for (const Extents& shape : {Extents{60, 64, 64}, Extents{1000}, Extents{40, 3}, Extents{}, Extents{2, 1, 9}}) {
        const auto tile = random_walk<float>(shape, 1, 0.01);
        for (const Mode mode : modes) {
            const auto coded = encoded(tile, mode);
            if (coded.empty()) {
                continue;  // stored as it is
            }
            auto decoded = like(tile);
            ASSERT_TRUE(decode(coded, decoded)) << to_string(shape);
            EXPECT_EQ(0, std::memcmp(decoded.values.data(), tile.values.data(), tile.values.size() * sizeof(float)))
                << to_string(shape);
        }
    }
}

TEST_P(EveryCodec, AppendsAndMakesTheSameBytesWhateverItDidBefore) {
    const auto tile = random_walk<float>({20, 30, 40}, 1, 0.01);
    const auto other = random_walk<double>({64, 64, 64}, 2);
    for (const Mode mode : modes) {
        const auto first = encoded(tile, mode, 0.01);
        static_cast<void>(encoded(other, mode, 0.5));
        EXPECT_EQ(encoded(tile, mode, 0.01), first);
        Scratch fresh;
        std::vector<std::byte> out{std::byte{1}, std::byte{2}};
        ASSERT_TRUE(GetParam().codec->encode(tile.view(), {0.01, 1e20, mode}, fresh, out));
        EXPECT_EQ(std::vector(out.begin() + 2, out.end()), first);
    }
}

TEST_P(EveryCodec, DamagedTilesFailOrGiveOtherValues) {
    const auto tile = random_walk<float>({5, 9, 33}, 5, 0.1);
    auto decoded = like(tile);
    std::mt19937 random(1);
    for (const auto& [mode, bound] : {std::pair(Mode::fast, 0.0), {Mode::fast, 0.01}, {Mode::dense, 0.01}}) {
        const auto whole = encoded(tile, mode, bound);
        if (whole.empty()) {
            continue;
        }
        for (std::size_t length = 0; length < whole.size(); ++length) {
            EXPECT_FALSE(decode(std::span(whole).first(length), decoded)) << length;
        }
        for (int i = 0; i < 3000 && !GetParam().codec->is_trusting(); ++i) {
            auto changed = whole;
            changed[random() % std::min<std::size_t>(changed.size(), i % 2 == 0 ? 60 : changed.size())] =
                static_cast<std::byte>(random());
            static_cast<void>(decode(changed, decoded));  // the sanitizers look on
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryCodec, ::testing::ValuesIn(known_codecs()), [](const auto& test) {
    std::string name = test.param.info.name;
    std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
});

}  // namespace
}  // namespace staithe::transform
