#include "transform/payload.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include <staithe/transform.hpp>

#include "transform/checksum.hpp"
#include "unit/transform/arrays.hpp"

namespace staithe::codecs {
namespace {

using transform::testing::like;
using transform::testing::random_walk;

TEST(Payload, SaysWhatItIs) {
    const auto array = random_walk<float>({100, 80, 70}, 1);
    const PayloadInfo info = inspect(encode(array.view(), {.bound = Bound::absolute(0.5)}));
    EXPECT_EQ(info.codec, "dq");
    EXPECT_EQ(info.dtype, Dtype::f32);
    EXPECT_EQ(info.shape, array.shape);
    EXPECT_EQ(info.tile, (Extents{52, 40, 70}));
    EXPECT_EQ(info.tiles, 4);
    EXPECT_EQ(info.bound, 0.5);
    EXPECT_EQ(info.raw_bytes, 4 * 100 * 80 * 70);
}

TEST(Payload, TilesFollowEachOtherInTheirOrder) {
    for (const bool noise_first : {true, false}) {
        auto array = random_walk<float>({20, 128, 1024}, 3);  // ten tiles
        const auto half = static_cast<std::ptrdiff_t>(array.values.size() / 8);
        const auto begin = noise_first ? array.values.begin() + half : array.values.begin();
        std::fill(begin, noise_first ? array.values.end() : array.values.end() - half, 0.0F);
        const auto payload = encode(array.view());
        EXPECT_LE(payload.capacity(), 2 * payload.size());
        const auto header = transform::read_header(payload).value();
        std::uint64_t end = transform::header_bytes(header);
        for (const auto& tile : header.tiles) {
            EXPECT_EQ(tile.offset, end);
            end += tile.bytes;
        }
        EXPECT_EQ(end, payload.size());
        for (const int threads : {2, 3, 20}) {
            EXPECT_EQ(encode(array.view(), {.threads = threads}), payload);
        }
    }
}

TEST(Payload, EveryTruncationIsAnError) {
    const auto array = random_walk<float>({10, 40}, 1);
    const auto payload = encode(array.view(), {.bound = Bound::absolute(0.5)});
    auto decoded = like(array);
    for (std::size_t length = 0; length < payload.size(); ++length) {
        EXPECT_THROW(decode(std::span(payload).first(length), decoded.view()), ProtocolError) << length;
    }
}

TEST(Payload, EveryChangedByteIsAnError) {
    const auto array = random_walk<float>({10, 40}, 1);
    const auto payload = encode(array.view(), {.bound = Bound::absolute(0.5)});
    auto decoded = like(array);
    for (std::size_t i = 0; i < payload.size(); ++i) {
        auto changed = payload;
        changed[i] ^= std::byte{0x10};
        EXPECT_THROW(decode(changed, decoded.view()), ProtocolError) << i;
    }
}

TEST(Payload, HeadersThatLieAreFound) {
    const auto array = random_walk<float>({10, 40}, 1);
    const auto payload = encode(array.view());
    const auto header = *transform::read_header(payload);
    const auto refused = [&](const auto& change) {
        auto lying = header;
        change(lying);
        std::vector<std::byte> bytes(transform::header_bytes(lying) + 5000);
        transform::write_header(lying, bytes);  // with the right checksum
        return !transform::read_header(bytes);
    };
    EXPECT_FALSE(refused([](auto&) {}));
    EXPECT_TRUE(refused([](auto& lying) { lying.shape[0] = -1; }));
    EXPECT_TRUE(refused([](auto& lying) { lying.shape[0] = INT64_MAX; }));
    EXPECT_TRUE(refused([](auto& lying) { lying.tile[0] = 0; }));
    EXPECT_TRUE(refused([](auto& lying) { lying.tile[0] = 1; }));
    EXPECT_TRUE(refused([](auto& lying) { lying.tiles[0].offset = 0; }));
    EXPECT_TRUE(refused([](auto& lying) { lying.tiles[0].bytes = UINT64_MAX; }));
    EXPECT_TRUE(refused([](auto& lying) { lying.bound = -1.0; }));
    EXPECT_TRUE(refused([](auto& lying) { lying.bound = std::numeric_limits<double>::quiet_NaN(); }));
}

TEST(Payload, BoxesAreThePartsOfTheWhole) {
    const auto array = random_walk<double>({70, 90, 130}, 2, 0.001);
    const auto payload = encode(array.view(), {.bound = Bound::relative(1e-4)});
    auto whole = like(array);
    decode(payload, whole.view());
    for (const Box& box : {Box{{0, 0, 0}, {1, 1, 1}}, Box{{60, 10, 60}, {10, 70, 70}}, Box{{64, 64, 64}, {6, 26, 64}},
                           Box{{0, 0, 0}, {70, 90, 130}}, Box{{3, 4, 5}, {0, 2, 2}}}) {
        std::vector<double> part(static_cast<std::size_t>(*volume(box.count)));
        decode(payload, MutableArrayView::row_major(part.data(), Dtype::f64, box.count), box, 2);
        const ArrayView expected = slice(std::as_const(whole).view(), Selection(box));
        std::size_t i = 0;
        for (std::int64_t z = 0; z < box.count[0]; ++z) {
            for (std::int64_t y = 0; y < box.count[1]; ++y) {
                for (std::int64_t x = 0; x < box.count[2]; ++x) {
                    const auto* const at = static_cast<const std::byte*>(expected.data) + z * expected.strides[0] +
                                           y * expected.strides[1] + x * expected.strides[2];
                    EXPECT_EQ(0, std::memcmp(at, &part[i++], sizeof(double)));
                }
            }
        }
    }
}

TEST(Payload, ThreadsMakeTheSameBytes) {
    const auto array = random_walk<float>({200, 100, 70}, 3, 0.01);
    EXPECT_EQ(encode(array.view(), {.bound = Bound::relative(1e-3), .threads = 1}),
              encode(array.view(), {.bound = Bound::relative(1e-3), .threads = 3}));
}

/// Counts what is taken of it, and gives no more than so much at a time.
class Counted final : public std::pmr::memory_resource {
  public:
    explicit Counted(std::size_t most) : most_(most) {}
    std::size_t taken = 0;
    std::size_t held = 0;

  private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (held + bytes > most_) {
            throw std::bad_alloc();
        }
        held += bytes;
        taken += bytes;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        held -= bytes;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::size_t most_;
};

TEST(Payload, ScratchMemoryComesFromWhereItIsGiven) {
    const auto array = random_walk<float>({40, 50, 60}, 3);
    const EncodeOptions options{.mode = Mode::dense, .bound = Bound::absolute(0.01)};
    const auto expected = encode(array.view(), options);
    Counted plenty(std::size_t{64} << 20);
    EncodeOptions with_memory = options;
    with_memory.memory = &plenty;
    EXPECT_EQ(encode(array.view(), with_memory), expected);
    EXPECT_GT(plenty.taken, 0U);
    auto decoded = like(array);
    plenty.taken = 0;
    decode(expected, decoded.view(), std::nullopt, 1, &plenty);
    EXPECT_GT(plenty.taken, 0U);
    EXPECT_GT(probe(array.view(), with_memory).ratio, 1.0);
    EXPECT_EQ(plenty.held, 0U);

    Counted little(1000);
    with_memory.memory = &little;
    EXPECT_THROW(static_cast<void>(encode(array.view(), with_memory)), LimitReached);
    EXPECT_THROW(decode(expected, decoded.view(), std::nullopt, 1, &little), LimitReached);
    EXPECT_EQ(little.held, 0U);
}

TEST(Payload, WhatCannotBeIsRefused) {
    const auto array = random_walk<float>({10}, 1);
    auto decoded = like(array);
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_THROW((void)encode(array.view(), {.bound = Bound::absolute(-1.0)}), InvalidArgument);
    EXPECT_THROW((void)encode(array.view(), {.bound = Bound::relative(infinity)}), InvalidArgument);
    EXPECT_THROW((void)encode(array.view(), {.bound = Bound::psnr(-infinity)}), InvalidArgument);
    EXPECT_THROW((void)encode(array.view(), {.threads = 0}), InvalidArgument);
    EXPECT_THROW((void)encode(array.view(), {.codec = "lzma"}), NotFound);
    EXPECT_THROW((void)probe(array.view(), {}, 0.0), InvalidArgument);
    const auto payload = encode(array.view());
    EXPECT_THROW(decode(payload, decoded.view(), Box{{5}, {6}}), InvalidArgument);
    EXPECT_THROW(decode(payload, decoded.view(), Box{{0}, {5}}), InvalidArgument);
    EXPECT_THROW(decode(payload, decoded.view(), std::nullopt, 0), InvalidArgument);
    std::vector<double> others(10);
    EXPECT_THROW(decode(payload, MutableArrayView::row_major(others.data(), Dtype::f64, {10})), InvalidArgument);
}

TEST(Payload, WhatNoCodecMakesSmallerIsStoredAsItIs) {
    std::mt19937_64 random(9);
    std::vector<std::uint64_t> noise(1000);
    for (auto& value : noise) {
        value = random();
    }
    const auto payload = encode(ArrayView::row_major(noise.data(), Dtype::u64, {1000}));
    EXPECT_EQ(inspect(payload).raw_tiles, 1);
    std::vector<std::uint64_t> decoded(1000);
    decode(payload, MutableArrayView::row_major(decoded.data(), Dtype::u64, {1000}));
    EXPECT_EQ(decoded, noise);
}

TEST(Probe, IsNearTheTruth) {
    const auto array = random_walk<float>({256, 256, 64}, 4);
    const EncodeOptions options{.bound = Bound::absolute(0.1)};
    const Probe found = probe(array.view(), options, 0.25);
    const double truth = 4.0 * 256 * 256 * 64 / static_cast<double>(encode(array.view(), options).size());
    EXPECT_NEAR(found.ratio, truth, 0.1 * truth);
    EXPECT_EQ(found.tiles, 4);
}

}  // namespace
}  // namespace staithe::codecs
