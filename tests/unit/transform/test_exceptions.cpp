#include "transform/dq/exceptions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

namespace staithe::transform::dq {
namespace {

/// A tile with gaps between its rows, and which of its values are exceptions.
template <class T>
struct Tile {
    static constexpr std::size_t gap = 3;

    explicit Tile(std::array<std::size_t, 4> count) {
        rows.count = count;
        const std::size_t row = (count[3] + gap) * sizeof(T);
        rows.stride = {static_cast<std::ptrdiff_t>(row * count[2] * count[1]),
                       static_cast<std::ptrdiff_t>(row * count[2]), static_cast<std::ptrdiff_t>(row)};
        values.resize(rows.rows() * (count[3] + gap) - gap);  // what is read behind the last row, the sanitizers see
        words.resize(rows.exception_words());
    }
    /// Calls with each value and whether it is an exception; what the call makes of them is kept.
    void change(const std::function<void(T&, bool&)>& call) {
        for (std::size_t row = 0; row < rows.rows(); ++row) {
            for (std::size_t x = 0; x < rows.count[3]; ++x) {
                std::uint16_t& word = words[row * rows.words_of_row() + x / group];
                bool exception = (word >> x % group & 1U) != 0;
                call(values[row * (rows.count[3] + gap) + x], exception);
                const auto bit = static_cast<std::uint16_t>(1U << x % group);
                word = static_cast<std::uint16_t>(exception ? word | bit : word & ~bit);
            }
        }
    }
    [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(values.data()); }

    TileRows rows;
    std::vector<T> values;
    std::vector<std::uint16_t> words;
};

const std::vector<std::array<std::size_t, 4>> tile_shapes{{1, 1, 1, 1},    {1, 1, 1, 15},  {1, 1, 1, 16},
                                                          {1, 1, 1, 5000}, {1, 1, 70, 17}, {1, 9, 10, 64},
                                                          {3, 4, 5, 100},  {2, 3, 100, 1}};

template <class T>
class ExceptionsOf : public ::testing::Test {
  protected:
    using Strew = std::function<void(T&, bool&)>;

    /// That what is put into the tile comes out of the layers; returns which there are.
    static std::uint8_t check(Tile<T> tile, const Strew& strew) {
        tile.change(strew);
        Tile<T> restored = tile;
        restored.change([](T& value, bool& exception) { value = exception ? T{77} : value; });
        std::vector<std::byte> out(5);
        const std::uint8_t layers = append_exceptions(tile.rows, tile.bytes(), sizeof(T), tile.words.data(), out);
        const auto coded = std::span(out).subspan(5);
        EXPECT_TRUE(restore_exceptions(coded, layers, tile.rows, restored.bytes(), sizeof(T)));
        EXPECT_EQ(restored.values, tile.values);
        for (std::size_t length = 0; length < coded.size(); length += 1 + coded.size() / 100) {
            EXPECT_FALSE(restore_exceptions(coded.first(length), layers, tile.rows, restored.bytes(), sizeof(T)));
        }
        out.push_back(std::byte{0});
        EXPECT_FALSE(restore_exceptions(std::span(out).subspan(5), layers, tile.rows, restored.bytes(), sizeof(T)));
        return layers;
    }
};
using Words = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(ExceptionsOf, Words);

TYPED_TEST(ExceptionsOf, ComeBack) {
    std::mt19937 random(1);
    for (const auto& shape : tile_shapes) {
        for (const unsigned percent : {1U, 10U, 90U}) {
            for (const unsigned other_percent : {0U, 5U, 100U}) {
                bool first = true;  // there is one at least
                this->check(Tile<TypeParam>(shape), [&](TypeParam& value, bool& exception) {
                    exception = first || random() % 100 < percent;
                    first = false;
                    value = static_cast<TypeParam>(random() % 100 < other_percent ? random() : 200);
                });
            }
        }
    }
}

TYPED_TEST(ExceptionsOf, OfOneValueTakeALayerWithoutOthers) {
    for (const auto& shape : tile_shapes) {
        const bool single = shape == tile_shapes.front();
        int left = 100;  // from the first value on, so that words are whole
        const std::uint8_t layers = this->check(Tile<TypeParam>(shape), [&](TypeParam& value, bool& exception) {
            exception = left-- > 0;
            value = 200;
        });
        EXPECT_EQ(layers, single ? has_others : has_common);
    }
}

TYPED_TEST(ExceptionsOf, OfManyValuesTakeALayerOfOthers) {
    TypeParam next = 0;
    const auto strew = [&](TypeParam& value, bool& exception) {
        value = ++next;
        exception = value % 3 == 0;
    };
    EXPECT_EQ(this->check(Tile<TypeParam>({1, 1, 9, 20}), strew), has_others);
}

TYPED_TEST(ExceptionsOf, AnythingMayBeReadAsLayers) {
    std::mt19937 random(2);
    for (const auto& shape : tile_shapes) {
        Tile<TypeParam> tile(shape);
        for (int i = 0; i < 300; ++i) {
            std::vector<std::byte> bytes(random() % 700);
            std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random() & random()); });
            // The sanitizers look on.
            static_cast<void>(restore_exceptions(bytes, random() % 4, tile.rows, tile.bytes(), sizeof(TypeParam)));
        }
    }
}

}  // namespace
}  // namespace staithe::transform::dq
