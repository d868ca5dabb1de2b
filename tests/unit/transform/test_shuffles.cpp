#include "transform/shuffled/shuffles.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace staithe::transform::shuffled {
namespace {

using Bytes = std::vector<std::byte>;

/// As docs/formats/shuffled.md has it, bit by bit.
Bytes expected(const Shuffle& shuffle, const Bytes& elements, std::size_t item) {
    const std::size_t count = elements.size() / item;
    Bytes to(elements.size());
    if (&shuffle == &byte_shuffle) {
        for (std::size_t i = 0; i < elements.size(); ++i) {
            to[i % item * count + i / item] = elements[i];
        }
        return to;
    }
    const std::size_t whole = count / 8 * 8;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i / item >= whole) {
            to[i] = elements[i];
            continue;
        }
        for (std::size_t bit = 0; bit < 8; ++bit) {
            const std::size_t place = (i % item * 8 + bit) * whole + i / item;
            to[place / 8] |= (elements[i] >> bit & std::byte{1}) << (place % 8);
        }
    }
    return to;
}

TEST(Shuffles, AreWhatTheFormatSays) {
    std::mt19937 random(1);
    for (const Shuffle* const shuffle : {&byte_shuffle, &bit_shuffle}) {
        for (const std::size_t item : {1, 2, 4, 8, 16, 32}) {
            for (const std::size_t count : {1, 7, 8, 9, 63, 64, 511, 512, 513, 519, 520, 1024, 2047, 2056, 9003}) {
                Bytes elements(count * item);
                for (std::byte& value : elements) {
                    value = static_cast<std::byte>(random());
                }
                Bytes to(elements.size());
                shuffle->apply(elements, item, to);
                EXPECT_EQ(to, expected(*shuffle, elements, item)) << shuffle->name << item << ' ' << count;
                Bytes back(elements.size());
                shuffle->undo(to, item, back);
                EXPECT_EQ(back, elements) << shuffle->name << item << ' ' << count;
            }
        }
    }
}

}  // namespace
}  // namespace staithe::transform::shuffled
