// How arrays are cut: every element lies in one chunk, where the array has it.
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <staithe/array_view.hpp>

#include <gtest/gtest.h>

#include "format/zarr/chunk_files.hpp"

namespace staithe::format::zarr {
namespace {

std::int64_t elements(const std::vector<Chunk>& chunks) {
    std::int64_t all = 0;
    for (const Chunk& chunk : chunks) {
        all += volume(chunk.box.count).value();
    }
    return all;
}

TEST(Chunks, HaveAllElementsAndEachOnce) {
    std::mt19937 random(3);
    const auto draw = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution(least, most)(random);
    };
    for (int repeat = 0; repeat < 300; ++repeat) {
        Extents shape;
        for (auto left = draw(0, 4); left > 0; --left) {
            shape.push_back(draw(0, 1) == 0 ? draw(1, 9) : draw(1, 4000));
        }
        if (size_in_bytes(shape, Dtype::f64).value() > std::int64_t{8} << 30) {
            continue;
        }
        const ChunkGrid grid = grid_for(shape, Dtype::f64);
        EXPECT_TRUE(is_readable(grid, shape)) << to_string(shape) << " by " << to_string(grid.count);
        const auto chunks = chunks_of(grid, shape, Dtype::f64, draw(0, 5000), own_keys);
        EXPECT_EQ(elements(chunks), volume(shape));
        std::set<std::string> names;
        for (const Chunk& chunk : chunks) {
            EXPECT_TRUE(fits(chunk.box, shape));
            EXPECT_TRUE(names.insert(chunk.name).second) << chunk.name;
            EXPECT_LE(chunk.offset + size_in_bytes(chunk.box.count, Dtype::f64).value(), bytes_of(grid, Dtype::f64));
            EXPECT_TRUE(is_row_major(
                slice(ArrayView::row_major(nullptr, Dtype::f64, grid.count), Selection(Box::whole(chunk.box.count)))))
                << "a chunk begins with what it has of the array";
        }
    }
}

TEST(Chunks, OfSmallArraysHaveSeveralSteps) {
    const ChunkGrid grid = grid_for({}, Dtype::i64);
    EXPECT_EQ(grid.steps, 1024);
    const auto chunks = chunks_of(grid, {}, Dtype::i64, 2050, own_keys);
    ASSERT_EQ(chunks.size(), 1U);
    EXPECT_EQ(chunks.front().name, "c.2");
    EXPECT_EQ(chunks.front().offset, 16);
    EXPECT_EQ(grid_for({}, Dtype::i64, false).steps, 1);
    EXPECT_EQ(chunks_of(grid_for({}, Dtype::i64, false), {}, Dtype::i64, std::nullopt, {.separator = '/'}).front().name,
              "c");
}

TEST(Chunks, OfLargeArraysAreOfMostlyOneSize) {
    const ChunkGrid grid = grid_for({9, 1024, 1024}, Dtype::f64);
    EXPECT_EQ(grid.count, (Extents{3, 1024, 1024}));
    EXPECT_EQ(grid_for({3, 5000, 1000}, Dtype::f64).count, (Extents{1, 2500, 1000}));
}

TEST(Chunks, OfAShardAreInItOnceEach) {
    ChunkGrid grid{1, {2, 3}};
    EXPECT_EQ(shard_of_step(grid, {4, 6}), (Shard{.count = {2, 2}}));
    EXPECT_EQ(shard_of_step(grid, {5, 4}), (Shard{.count = {3, 2}}));
    EXPECT_EQ(shard_of_step(grid, {2, 3}), std::nullopt) << "a chunk alone";
    EXPECT_EQ(shard_of_step(grid, {0, 3}), std::nullopt);
    grid.shard = Shard{.steps = 5, .count = {2, 1}};
    std::set<std::pair<std::string, std::int64_t>> places;
    std::set<std::string> names;
    for (std::int64_t step = 0; step < 10; ++step) {
        for (const Chunk& chunk : chunks_of(grid, {8, 6}, Dtype::f64, step, own_keys)) {
            ASSERT_TRUE(chunk.in_shard);
            EXPECT_EQ(chunk.in_shard->chunks, 10);
            EXPECT_LT(chunk.in_shard->chunk, 10);
            EXPECT_TRUE(places.emplace(chunk.name, chunk.in_shard->chunk).second);
            names.insert(chunk.name);
        }
    }
    EXPECT_EQ(places.size(), 10 * 4 * 2U);
    EXPECT_EQ(names, (std::set<std::string>{"c.0.0.0", "c.0.0.1", "c.0.1.0", "c.0.1.1", "c.1.0.0", "c.1.0.1", "c.1.1.0",
                                            "c.1.1.1"}));
}

TEST(Chunks, OfNothingAreNone) {
    EXPECT_TRUE(chunks_of(grid_for({0}, Dtype::f64), {0}, Dtype::f64, 0, own_keys).empty());
    EXPECT_EQ(grid_for({0, INT64_MAX, 3}, Dtype::f64).count, (Extents{1, 1, 1}));
}

TEST(Chunks, InWhichElementsLieOtherwiseAreNotRead) {
    EXPECT_TRUE(is_readable({1, {1, 2, 4}}, {3, 5, 4}));
    EXPECT_FALSE(is_readable({1, {2, 2, 4}}, {3, 5, 4}));
    EXPECT_FALSE(is_readable({2, {1, 5, 4}}, {3, 5, 4})) << "several steps, of which none is whole";
    EXPECT_FALSE(is_readable({1, {2, 5}}, {4, 3})) << "rows that are longer than those of the array";
    EXPECT_FALSE(is_readable({0, {3}}, {3}));
    EXPECT_FALSE(is_readable({1, {0}}, {3}));
    EXPECT_FALSE(is_readable({1, {3}}, {3, 3}));
    EXPECT_FALSE(is_readable({1, {1}}, {INT64_MAX})) << "more chunks than there can be files";
}

}  // namespace
}  // namespace staithe::format::zarr
