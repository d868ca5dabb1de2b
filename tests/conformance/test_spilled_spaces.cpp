// Spaces that hold more than the memory of their servers: one of two servers is this process.
#include <chrono>
#include <cstdint>
#include <optional>
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

namespace staithe::testing {
namespace {

constexpr std::int64_t memory = 8 << 20;
constexpr std::int64_t elements = 100'000;

/// A limit for this process, beside what earlier tests hold, and those that it forks, until it goes.
class MemoryLimit {
  public:
    MemoryLimit() { set_limits({.memory = before_ + memory}); }
    /// What connections hold goes a moment after the server has, and would be more room for the next test.
    ~MemoryLimit() {
        for (int i = 0; i < 200 && usage().memory > before_; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        set_limits({});
    }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

  private:
    const std::int64_t before_ = usage().memory;
};

class SpilledSpaces : public ::testing::TestWithParam<int> {
  protected:
    [[nodiscard]] ServerOptions of_rank(int rank) const {
        return {.name = "harbour",
                .group = {.rank = rank, .size = GetParam()},
                .spill = folder_.path(),
                .spill_bytes = 64 << 20};
    }
    static std::vector<double> values_of(int version) { return std::vector<double>(elements, version); }
    static void put(Space& space, const std::string& name, int version) {
        const auto values = values_of(version);
        EXPECT_EQ(space.put(name, ArrayView::row_major(values.data(), Dtype::f64, {elements}), {.version = version}),
                  version);
    }

    const TemporaryDirectory directory_, folder_;
    const EnvironmentVariable run_directory_{"STAITHE_RUN_DIR", directory_.path().c_str()};
    const MemoryLimit limit_;
    const std::optional<ChildProcess> other_ = GetParam() == 1 ? std::nullopt : std::optional<ChildProcess>([this] {
        const Server server(of_rank(1));
        wait_for_death();
        return 0;
    });
    const Server server_{of_rank(0)};
};
INSTANTIATE_TEST_SUITE_P(Servers, SpilledSpaces, ::testing::Values(1, 2));

TEST_P(SpilledSpaces, ThreadsPutAndGetMoreThanThereIsMemory) {
    constexpr int versions = 12;
    const auto put_and_get = [](const std::string& name) {
        Space space("campaign", {.timeout = 60, .server = "harbour"});
        std::vector<double> read(elements);
        for (int version = 0; version < versions; ++version) {
            put(space, name, version);
            const int earlier = version / 2;
            EXPECT_EQ(space.get(name, {.version = earlier}).copy<double>(), values_of(earlier));
            EXPECT_EQ(space.read(name, MutableArrayView::row_major(read.data(), Dtype::f64, {elements}),
                                 {.version = earlier}),
                      earlier);
            EXPECT_EQ(read, values_of(earlier));
        }
    };
    std::vector<std::thread> threads;
    for (const char* name : {"a", "b", "c"}) {
        threads.emplace_back(put_and_get, name);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const Attributes described = server_.describe();
    EXPECT_GT(described.at("spilled").as_int().value(), 0);
    EXPECT_LE(described.at("memory").as_int().value(), memory);
}

TEST_P(SpilledSpaces, WhatIsHeldIsNotMovedAndGoesWithItsVersion) {
    Space space("campaign", {.timeout = 60, .server = "harbour"});
    put(space, "held", 0);
    {
        const SpaceArray held = space.get("held");
        for (int version = 0; version < 20; ++version) {
            put(space, "T", version);
        }
        space.remove("held");
        EXPECT_EQ(held.copy<double>(), values_of(0));
    }
    space.remove("T");
    for (int i = 0; i < 100 && server_.describe().at("spilled") != Value(0); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(server_.describe().at("spilled"), Value(0));
}

TEST_P(SpilledSpaces, WhatIsReadMustFit) {
    Space space("campaign", {.timeout = 60, .server = "harbour"});
    put(space, "T", 0);
    std::vector<float> narrow(elements);
    EXPECT_THROW(space.read("T", MutableArrayView::row_major(narrow.data(), Dtype::f32, {elements})), InvalidArgument);
    EXPECT_THROW(space.read("T", MutableArrayView::row_major(narrow.data(), Dtype::f32, {1})), InvalidArgument);
    std::vector<double> few(3);
    EXPECT_EQ(space.read("T", MutableArrayView::row_major(few.data(), Dtype::f64, {3}), {.box = Box{{7}, {3}}}), 0);
    EXPECT_EQ(few, std::vector<double>(3, 0.0));
}

}  // namespace
}  // namespace staithe::testing
