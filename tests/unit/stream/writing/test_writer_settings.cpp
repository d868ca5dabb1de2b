#include "stream/writing/writer_settings.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"

namespace staithe::stream {
namespace {

using testing::EnvironmentVariable;

class WriterSettingsTest : public ::testing::Test {
  private:
    EnvironmentVariable streams_{"STAITHE_STREAMS", nullptr};
    EnvironmentVariable placement_{"STAITHE_PLACEMENT", nullptr};
    EnvironmentVariable timeout_{"STAITHE_TIMEOUT", nullptr};
};

TEST_F(WriterSettingsTest, HaveDefaultsThatWorkOnALaptop) {
    const auto settings = resolve_settings("s", {});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->director.queue.steps, 8);
    EXPECT_EQ(settings->director.queue.bytes, 256 << 20);
    EXPECT_EQ(settings->director.expected_readers, 1);
    EXPECT_EQ(settings->director.placement, "producer");
    EXPECT_EQ(settings->director.overflow, Overflow{});
    EXPECT_EQ(settings->director.queue.spill_bytes, 0);
    EXPECT_EQ(settings->timeout, std::nullopt);
}

TEST_F(WriterSettingsTest, EnvironmentFillsWhatTheProgramLeftOut) {
    const EnvironmentVariable streams("STAITHE_STREAMS",
                                      R"({"s": {"queue_steps": 2, "queue_bytes": "1 GiB", "readers": 3,
                                                "placement": "inline"}, "t": {"queue_steps": 5}})");
    const auto filled = resolve_settings("s", {});
    ASSERT_TRUE(filled);
    EXPECT_EQ(filled->director.queue.steps, 2);
    EXPECT_EQ(filled->director.queue.bytes, 1 << 30);
    EXPECT_EQ(filled->director.expected_readers, 3);
    EXPECT_EQ(filled->director.placement, "inline");
    const auto given = resolve_settings(
        "s", {.queue_steps = 4, .queue_bytes = 100, .readers = 0, .placement = "producer", .timeout = 2.0});
    ASSERT_TRUE(given);
    EXPECT_EQ(given->director.queue.steps, 4);
    EXPECT_EQ(given->director.queue.bytes, 100);
    EXPECT_EQ(given->director.expected_readers, 0);
    EXPECT_EQ(given->director.placement, "producer");
    EXPECT_EQ(given->timeout, 2.0);
    EXPECT_EQ(resolve_settings("u", {})->director.queue.steps, 8);
}

TEST_F(WriterSettingsTest, DepthIsOursWhereNobodyHasChosenIt) {
    EXPECT_TRUE(resolve_settings("s", {})->depth_is_ours);
    EXPECT_FALSE(resolve_settings("s", {.queue_steps = 8})->depth_is_ours);
    EXPECT_FALSE(resolve_settings("s", {.queue_bytes = 1 << 30})->depth_is_ours);
    EXPECT_FALSE(resolve_settings("s", {.overflow = "latest"})->depth_is_ours) << "such a writer never waits";
    const EnvironmentVariable streams("STAITHE_STREAMS", R"({"s": {"queue_steps": 8}, "t": {"readers": 2}})");
    EXPECT_FALSE(resolve_settings("s", {})->depth_is_ours);
    EXPECT_TRUE(resolve_settings("t", {})->depth_is_ours);
}

TEST_F(WriterSettingsTest, GarbledEnvironmentIsAnErrorThatNamesIt) {
    for (const char* text :
         {"{", "[]", R"({"s": 1})", R"({"s": {"queue_steps": 1.5}})", R"({"s": {"queue_steps": 0}})",
          R"({"s": {"queue_bytes": "many"}})", R"({"s": {"placement": "moon"}})", R"({"s": {"placement": 5}})"}) {
        const EnvironmentVariable streams("STAITHE_STREAMS", text);
        const auto settings = resolve_settings("s", {});
        ASSERT_FALSE(settings) << text;
        EXPECT_EQ(settings.error().code, ErrorCode::invalid_argument);
    }
}

TEST_F(WriterSettingsTest, SpillingHasAPlaceAndALimit) {
    const EnvironmentVariable directory("STAITHE_SPILL_DIRECTORY", "/scratch");
    const auto by_default = resolve_settings("s", {.overflow = "spill"});
    ASSERT_TRUE(by_default);
    EXPECT_EQ(by_default->spill_directory, "/scratch");
    EXPECT_EQ(by_default->director.queue.spill_bytes, std::int64_t{8} << 30);
    const EnvironmentVariable streams("STAITHE_STREAMS", R"({"s": {"overflow": "spill", "spill_directory": "/fast",
                                                                  "spill_bytes": "1 GiB"}})");
    const auto filled = resolve_settings("s", {});
    ASSERT_TRUE(filled);
    EXPECT_EQ(filled->spill_directory, "/fast");
    EXPECT_EQ(filled->director.queue.spill_bytes, 1 << 30);
    const auto given = resolve_settings("s", {.spill_directory = "/own", .spill_bytes = 5});
    ASSERT_TRUE(given);
    EXPECT_EQ(given->spill_directory, "/own");
    EXPECT_EQ(given->director.queue.spill_bytes, 5);
    EXPECT_FALSE(resolve_settings("s", {.spill_bytes = 0}));
    EXPECT_FALSE(resolve_settings("s", {.overflow = "block", .spill_bytes = 5}));
}

TEST_F(WriterSettingsTest, OverflowPolicyFitsItsQueue) {
    EXPECT_TRUE(resolve_settings("s", {.queue_steps = 1, .overflow = "block"}));
    EXPECT_TRUE(resolve_settings("s", {.queue_steps = 1, .overflow = "spill"}));
    EXPECT_TRUE(resolve_settings("s", {.queue_steps = 1, .overflow = "compress"})->director.queue.compresses);
    EXPECT_FALSE(resolve_settings("s", {.overflow = "spill"})->director.queue.compresses);
    EXPECT_FALSE(resolve_settings("s", {.overflow = "compress", .placement = "servers"}));
    EXPECT_TRUE(resolve_settings("s", {.queue_steps = 2, .overflow = "latest"}));
    EXPECT_EQ(resolve_settings("s", {.queue_steps = 1, .overflow = "latest"}).error().code,
              ErrorCode::invalid_argument);
    EXPECT_EQ(resolve_settings("s", {.overflow = "drop"}).error().code, ErrorCode::invalid_argument);
}

TEST_F(WriterSettingsTest, TheAmountThatCannotBeIsNamed) {
    const auto message_of = [](const WriterOptions& options) { return resolve_settings("s", options).error().message; };
    EXPECT_EQ(message_of({.queue_steps = 0}), "stream 's': queue_steps cannot be 0: give 1 to 1048576");
    EXPECT_EQ(message_of({.queue_bytes = 0}), "stream 's': queue_bytes cannot be 0: give 1 or more");
    EXPECT_EQ(message_of({.readers = -2}), "stream 's': readers cannot be -2: give 0 to 1048576");
    EXPECT_EQ(message_of({.reserve_bytes = -1}), "stream 's': reserve_bytes cannot be -1: give 0 or more");
}

TEST_F(WriterSettingsTest, UnknownPlacementIsRefused) {
    const EnvironmentVariable placement("STAITHE_PLACEMENT", "node");
    EXPECT_EQ(resolve_settings("s", {}).error().code, ErrorCode::invalid_argument);
    EXPECT_TRUE(resolve_settings("s", {.placement = "inline"}));
}

}  // namespace
}  // namespace staithe::stream
