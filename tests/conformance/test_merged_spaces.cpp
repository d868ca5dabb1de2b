// Versions that were put in many small blocks: servers make fewer of them in the background, and nobody sees anything
// of it but their number. One of two servers is this process.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <staithe/limits.hpp>
#include <staithe/server.hpp>
#include <staithe/space.hpp>

#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"

namespace staithe::testing {
namespace {

using Values = std::vector<double>;

constexpr std::int64_t height = 48, width = 60;
const Extents shape{height, width};

class MergedSpaces : public ::testing::TestWithParam<int> {
  protected:
    [[nodiscard]] Space open() const { return Space("campaign", {.timeout = 60, .server = "harbour"}); }

    /// So many boxes, each with values of its own, and what is seen of them in the end.
    class Drawn {
      public:
        explicit Drawn(unsigned seed) : random_(seed) {}
        void add(const Box& box) { boxes_.push_back(box); }
        void add_tiles(std::int64_t rows, std::int64_t columns) {
            for (std::int64_t i = 0; i < height; i += rows) {
                for (std::int64_t j = 0; j < width; j += columns) {
                    add({{i, j}, {std::min(rows, height - i), std::min(columns, width - j)}});
                }
            }
            std::shuffle(boxes_.begin(), boxes_.end(), random_);
        }
        /// Among the others, and not in the last column, of which one has to come last.
        void add_any(int count) {
            std::ranges::partition(boxes_, [](const Box& box) { return box.offset[1] + box.count[1] < width; });
            for (int i = 0; i < count; ++i) {
                Box box{{any(0, height - 1), any(0, width - 2)}, {}};
                box.count = {any(1, std::min<std::int64_t>(height - box.offset[0], 9)),
                             any(1, std::min<std::int64_t>(width - 1 - box.offset[1], 9))};
                boxes_.insert(boxes_.begin() + any(0, std::ssize(boxes_) - 1), box);
            }
        }
        /// In that order; some lie by columns. The last one completes it.
        Values put(Space& space, const std::string& name, std::int64_t version) {
            Values seen(height * width, -1);
            for (std::size_t i = 0; i < boxes_.size(); ++i) {
                const Extents& count = boxes_[i].count;
                Values block(static_cast<std::size_t>(count[0] * count[1]));
                std::iota(block.begin(), block.end(), static_cast<double>(1000 * i + 100'000'000 * version));
                const bool by_columns = i % 3 == 0;
                const auto strides = by_columns ? column_major_strides(count, 8) : row_major_strides(count, 8);
                for (std::int64_t r = 0; r < count[0]; ++r) {
                    for (std::int64_t c = 0; c < count[1]; ++c) {
                        seen[static_cast<std::size_t>((boxes_[i].offset[0] + r) * width + boxes_[i].offset[1] + c)] =
                            block[static_cast<std::size_t>((r * strides[0] + c * strides[1]) / 8)];
                    }
                }
                EXPECT_EQ(space.put(name, {block.data(), Dtype::f64, count, strides},
                                    {.offset = boxes_[i].offset, .shape = shape, .version = version}),
                          version);
            }
            return seen;
        }

      private:
        std::int64_t any(std::int64_t least, std::int64_t most) {
            return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
        }
        std::mt19937 random_;
        std::vector<Box> boxes_;
    };

    static Values read(Space& space, const std::string& name, std::int64_t version) {
        return space.get(name, {.version = version}).copy<double>();
    }
    static std::int64_t blocks(const Space& space, const std::string& name) {
        std::int64_t blocks = 0;
        for (const SpaceVersion& version : space.versions(name)) {
            blocks += version.blocks;
        }
        return blocks;
    }
    static void await(const std::function<bool()>& is_so) {
        while (!is_so()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    static void await_blocks(const Space& space, const std::string& name, std::int64_t most) {
        await([&] { return blocks(space, name) <= most; });
    }

  private:
    const Watchdog watchdog_;
    const TemporaryDirectory directory_, folder_;
    const EnvironmentVariable run_directory_{"STAITHE_RUN_DIR", directory_.path().c_str()};
    [[nodiscard]] ServerOptions of_rank(int rank) const {
        return {.name = "harbour", .group = {.rank = rank, .size = GetParam()}, .spill = folder_.path()};
    }
    const std::optional<ChildProcess> other_ = GetParam() == 1 ? std::nullopt : std::optional<ChildProcess>([this] {
        const Server server(of_rank(1));
        wait_for_death();
        return 0;
    });
    const Server server_{of_rank(0)};

  protected:
    [[nodiscard]] const Server& server() const { return server_; }
};
INSTANTIATE_TEST_SUITE_P(Servers, MergedSpaces, ::testing::Values(1, 2));

TEST_P(MergedSpaces, TilesBecomeOneBlockAndViewsOfThemStay) {
    Space space = open();
    for (const auto& [rows, columns] : {std::pair(1, 30), std::pair(4, 6), std::pair(5, 7)}) {
        const std::string name = "T " + std::to_string(rows);
        Drawn drawn(7);
        drawn.add_tiles(rows, columns);
        const Values expected = drawn.put(space, name, 3);
        const SpaceArray held = space.get(name), tile = space.get(name, {.box = Box{{rows, 0}, {rows, columns}}});
        const Values of_tile = tile.copy<double>();
        EXPECT_EQ(held.copy<double>(), expected);
        await_blocks(space, name, 1);
        EXPECT_EQ(read(space, name, 3), expected);
        EXPECT_EQ(tile.copy<double>(), of_tile);
        EXPECT_EQ(space.get(name, {.box = tile.box}).copy<double>(), of_tile);
        EXPECT_EQ(held.copy<double>(), expected);
        EXPECT_EQ(space.versions(name).front().bytes, height * width * 8);
    }
}

TEST_P(MergedSpaces, WhatLiesOverOthersStaysSo) {
    Space space = open();
    for (int version = 0; version < 8; ++version) {
        Drawn drawn(static_cast<unsigned>(version));
        drawn.add_tiles(6, 6);
        drawn.add_any(20 * version);
        const Values expected = drawn.put(space, "T", version);
        EXPECT_EQ(read(space, "T", version), expected);
        const auto before = space.versions("T").back().blocks;
        await([&] { return space.versions("T").back().blocks < before; });
        EXPECT_EQ(read(space, "T", version), expected);
    }
}

TEST_P(MergedSpaces, WhileOthersGetPutAndRemove) {
    std::atomic<bool> are_done = false;
    const auto get = [&](const std::string& name, const Values& expected) {
        Space space = open();
        while (!are_done) {
            EXPECT_EQ(read(space, name, 0), expected);
        }
    };
    const auto put_and_remove = [&](unsigned seed) {
        Space space = open();
        const std::string name = "of " + std::to_string(seed);
        for (int version = 0; version < 12; ++version) {
            Drawn drawn(seed);
            drawn.add_tiles(4, 6);
            const Values expected = drawn.put(space, name, version);
            if (version % 2 == 0) {
                await_blocks(space, name, 1);
            }
            const SpaceArray held = space.get(name, {.version = version});
            space.remove(name, version);
            EXPECT_EQ(held.copy<double>(), expected);
        }
    };
    Space space = open();
    std::vector<std::thread> readers, writers;
    for (unsigned seed : {1U, 2U}) {
        Drawn drawn(seed);
        drawn.add_tiles(4, 6);
        const std::string name = "still " + std::to_string(seed);
        readers.emplace_back(get, name, drawn.put(space, name, 0));
        writers.emplace_back(put_and_remove, seed);
    }
    std::ranges::for_each(writers, [](std::thread& thread) { thread.join(); });
    for (const char* name : {"still 1", "still 2"}) {
        await_blocks(space, name, 1);
    }
    are_done = true;
    std::ranges::for_each(readers, [](std::thread& thread) { thread.join(); });
    space.remove("still 1");
    space.remove("still 2");
    await([&] { return server().describe().at("bytes") == Value(0); });
}

TEST_P(MergedSpaces, NobodyLacksMemoryForIt) {
    constexpr std::int64_t memory = 8 << 20, elements = 100'000;
    struct Limit {
        Limit() { set_limits({.memory = usage().memory + memory}); }
        ~Limit() { set_limits({}); }
    };
    const Limit limit;
    Space space = open();
    std::vector<Values> expected;
    const Values large(elements, 5);
    for (int version = 0; version < 40; ++version) {
        Drawn drawn(static_cast<unsigned>(version));
        drawn.add_tiles(4, 6);
        expected.push_back(drawn.put(space, "T", version));
        space.put("large", ArrayView::row_major(large.data(), Dtype::f64, {elements}), {.version = version});
    }
    for (int version = 0; version < 40; ++version) {
        EXPECT_EQ(read(space, "T", version), expected[static_cast<std::size_t>(version)]);
        EXPECT_EQ(read(space, "large", version), large);
    }
    EXPECT_LE(server().describe().at("memory").as_int().value(), usage().memory + memory);
    space.remove("large");
    space.remove("T");
    await([&] { return server().describe().at("bytes") == Value(0) && server().describe().at("spilled") == Value(0); });
}

}  // namespace
}  // namespace staithe::testing
