// Chunks that are compressed: read back, and refused if anything of them is not as it was written.
#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "format/blosc.hpp"

namespace staithe::format {
namespace {

using Bytes = std::vector<std::byte>;

/// Every third byte by chance.
Bytes elements(std::size_t count) {
    std::mt19937 random(7);
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(i % 3 == 0 ? random() : i / 1000);
    }
    return bytes;
}

/// Nothing if that failed.
Bytes packed_by(const BloscWay& way, const Bytes& written, std::int64_t size) {
    Bytes room(100);  // less than it takes, or more
    const auto packed = pack_blosc(written, size, way, room);
    return packed ? Bytes(packed->begin(), packed->end()) : Bytes();
}

base::Result<> unpack_part(std::span<const std::byte> packed, std::int64_t bytes, std::int64_t first,
                           std::span<std::byte> read) {
    const auto chunk = BloscChunk::open(packed, bytes);
    return chunk ? chunk->unpack(first, read) : base::fail(chunk);
}

base::Result<> unpack_all(std::span<const std::byte> packed, Bytes& read) {
    return unpack_part(packed, std::ssize(read), 0, read);
}

class Blosc : public ::testing::Test {
  protected:
    void SetUp() override {
        Bytes packed;
        if (const auto there = pack_blosc(elements(8), 8, blosc_ways.front(), packed); !there) {
            GTEST_SKIP() << there.error().message;
        }
    }
};

TEST_F(Blosc, ChunksComeBack) {
    for (const std::size_t count : {16, 999, 100'000, 600'000}) {
        for (const int size : {1, 4, 16}) {
            const Bytes written = elements(count * 16);
            for (const BloscWay& way : blosc_ways) {
                const Bytes packed = packed_by(way, written, size);
                Bytes read(written.size());
                EXPECT_LT(packed.size(), written.size() + 32);
                ASSERT_TRUE(unpack_all(packed, read));
                EXPECT_EQ(read, written);
            }
        }
    }
}

TEST_F(Blosc, RoomForLargerOnesServesSmallerOnes) {
    Bytes room;
    for (const std::size_t count : {600'000, 16, 100'000}) {
        const Bytes written = elements(count);
        Bytes read(count);
        const auto packed = pack_blosc(written, 4, blosc_way("blosc"), room);
        ASSERT_TRUE(packed);
        EXPECT_GE(room.size(), 600'000U);
        ASSERT_TRUE(unpack_all(*packed, read));
        EXPECT_EQ(read, written);
    }
}

TEST_F(Blosc, TheSameComesOfTheSameWhateverTheRoom) {
    Bytes noise(100'000);
    std::mt19937 random(5);
    std::ranges::generate(noise, [&] { return static_cast<std::byte>(random()); });
    for (const BloscWay& way : blosc_ways) {
        Bytes large(1'000'000);
        const auto packed = pack_blosc(noise, 8, way, large);
        ASSERT_TRUE(packed);
        EXPECT_LE(packed->size(), noise.size() + 16) << "as much as a plain copy with its header takes";
        EXPECT_TRUE(std::ranges::equal(*packed, packed_by(way, noise, 8)));
    }
}

TEST_F(Blosc, PartsOfChunksComeBack) {
    const Bytes written = elements(600'000);
    std::mt19937 random(3);
    for (const int size : {1, 4, 8, 16}) {
        const Bytes packed = packed_by(blosc_way("blosc+zstd"), written, size);
        const auto chunk = BloscChunk::open(packed, std::ssize(written)).value();
        EXPECT_EQ(chunk.item_bytes(), size);
        EXPECT_EQ(chunk.block_bytes(), 64 << 10);
        for (int repeat = 0; repeat < 100; ++repeat) {
            const auto items = static_cast<std::int64_t>(written.size()) / size;
            const std::int64_t first = static_cast<std::int64_t>(random()) % items;
            Bytes read(static_cast<std::size_t>(static_cast<std::int64_t>(random()) % (items - first) * size));
            ASSERT_TRUE(chunk.unpack(first * size, read));
            const auto from = static_cast<std::size_t>(first * size);
            EXPECT_TRUE(std::ranges::equal(read, std::span(written).subspan(from, read.size())));
        }
    }
}

TEST_F(Blosc, WhatIsDamagedIsRefusedOrReadAsSomethingElse) {
    const Bytes written = elements(200'000);
    const Bytes packed = packed_by(blosc_way("blosc+zstd"), written, 8);
    Bytes read(written.size());
    Bytes shorter(written.size() - 8), longer(written.size() + 8);
    EXPECT_EQ(unpack_all(packed, shorter).error().code, ErrorCode::protocol);
    EXPECT_EQ(unpack_all(packed, longer).error().code, ErrorCode::protocol);
    for (const std::size_t length : {std::size_t{0}, std::size_t{15}, packed.size() / 2, packed.size() - 1}) {
        EXPECT_EQ(unpack_all(std::span(packed).first(length), read).error().code, ErrorCode::protocol) << length;
    }
    std::mt19937 random(11);
    for (int repeat = 0; repeat < 2000; ++repeat) {
        Bytes damaged = packed;
        const std::size_t among = repeat % 2 == 0 ? 64 : damaged.size();  // what says where all lies, or anything
        for (auto left = 1 + random() % 4; left > 0; --left) {
            damaged[random() % among] = static_cast<std::byte>(random());
        }
        static_cast<void>(unpack_all(damaged, read));
        static_cast<void>(unpack_part(damaged, std::ssize(read), 8 * (repeat % 100), std::span(read).first(80'000)));
    }
}

}  // namespace
}  // namespace staithe::format
