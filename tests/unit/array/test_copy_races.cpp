#include "array/copy_races.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/noise.hpp"

namespace staithe::array {
namespace {

using testing::noise;

constexpr std::byte untouched{0x5a};

class EveryWay : public ::testing::TestWithParam<std::size_t> {};

std::string name_of_way(const ::testing::TestParamInfo<std::size_t>& info) {
    const CopyWay& way = copy_ways()[info.param];
    std::string name = way.kernel->name + std::string(way.fetches ? "_fetching" : "");
    std::replace_if(name.begin(), name.end(), [](char letter) { return letter == ' ' || letter == ','; }, '_');
    return name;
}

TEST_P(EveryWay, CopiesAnySizeAtAnyAlignment) {
    const CopyWay& way = copy_ways()[GetParam()];
    constexpr std::int64_t largest = (std::int64_t{5} << 14) + 321;
    const auto source = noise(largest + 128);
    std::vector<std::byte> destination(static_cast<std::size_t>(largest) + 256);
    for (const std::size_t size : {0, 1, 63, 64, 65, 127, 4096, 4097, 16384, 16385, 20480, static_cast<int>(largest)}) {
        for (const std::size_t shift : {0, 1, 16, 48, 63, 64}) {
            for (const std::size_t skew : {0, 1, 16, 48}) {
                std::fill(destination.begin(), destination.end(), untouched);
                way.copy(destination.data() + shift, source.data() + skew, size, 4096);
                finish_streaming();
                SCOPED_TRACE(std::to_string(size) + " to " + std::to_string(shift) + " from " + std::to_string(skew));
                ASSERT_EQ(std::memcmp(destination.data() + shift, source.data() + skew, size), 0);
                ASSERT_EQ(std::count(destination.begin(), destination.begin() + static_cast<std::ptrdiff_t>(shift),
                                     untouched),
                          static_cast<std::ptrdiff_t>(shift));
                ASSERT_EQ(destination[shift + size], untouched);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Copying, EveryWay, ::testing::Range(std::size_t{0}, copy_ways().size()), name_of_way);

TEST(CopyWays, ThoseThatKeepTheDestinationInTheCacheComeFirst) {
    const auto& ways = copy_ways();
    EXPECT_FALSE(ways.front().kernel->streams);
    EXPECT_TRUE(std::is_partitioned(ways.begin(), ways.end(), [](const CopyWay& way) { return !way.kernel->streams; }));
    EXPECT_LE(ways.size(), static_cast<std::size_t>(RaceRound::most_ways));
}

TEST(CopyBytes, IsExactWhileWaysAreTried) {
    for (const std::int64_t size : {0, 1, 100, (1 << 14) - 1, 1 << 14, (1 << 20) + 7, (25 << 20) + 321}) {
        const auto source = noise(size + 64);
        std::vector<std::byte> destination(static_cast<std::size_t>(size) + 128);
        const int repeats = size < (1 << 20) ? 60 : 3;
        for (int repeat = 0; repeat < repeats; ++repeat) {
            for (const bool may_stream : {false, true}) {
                std::fill(destination.begin(), destination.end(), untouched);
                copy_bytes(destination.data() + 16, source.data(), size, may_stream);
                ASSERT_EQ(std::memcmp(destination.data() + 16, source.data(), static_cast<std::size_t>(size)), 0);
                ASSERT_EQ(destination[15], untouched);
                ASSERT_EQ(destination[static_cast<std::size_t>(size) + 16], untouched);
            }
        }
    }
}

TEST(CopyBytes, IsExactInSeveralThreads) {
    constexpr std::int64_t size = (std::int64_t{3} << 20) + 5;
    const auto source = noise(size);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            std::vector<std::byte> destination(static_cast<std::size_t>(size));
            for (int repeat = 0; repeat < 20; ++repeat) {
                std::fill(destination.begin(), destination.end(), untouched);
                copy_bytes(destination.data(), source.data(), size, repeat % 2 == 0);
                EXPECT_TRUE(destination == source);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace staithe::array
