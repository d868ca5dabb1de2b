#include "base/config.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"

namespace staithe::base {
namespace {

using testing::EnvironmentVariable;

TEST(Environment, UnsetAndEmptyAreNothing) {
    const EnvironmentVariable unset("STAITHE_X", nullptr);
    EXPECT_FALSE(environment("STAITHE_X"));
    const EnvironmentVariable empty("STAITHE_X", "");
    EXPECT_FALSE(environment("STAITHE_X"));
    const EnvironmentVariable set("STAITHE_X", "value");
    EXPECT_EQ(environment("STAITHE_X"), "value");
}

TEST(TimeoutOfEnvironment, IsWhatItSaysOrNothing) {
    const EnvironmentVariable unset("STAITHE_TIMEOUT", nullptr);
    EXPECT_EQ(timeout_of_environment().value(), std::nullopt);
    const EnvironmentVariable set("STAITHE_TIMEOUT", "0.25");
    EXPECT_EQ(timeout_of_environment().value(), 0.25);
    const EnvironmentVariable endless("STAITHE_TIMEOUT", "inf");
    EXPECT_TRUE(std::isinf(*timeout_of_environment().value()));
    for (const char* wrong : {"0", "-1", "soon", "5 s", "nan", "-inf", "1e400"}) {
        const EnvironmentVariable timeout("STAITHE_TIMEOUT", wrong);
        EXPECT_EQ(timeout_of_environment().error().code, ErrorCode::invalid_argument) << wrong;
    }
}

TEST(StreamsToOpen, AreThoseOfTheLauncher) {
    const EnvironmentVariable unset("STAITHE_OPENS", nullptr);
    EXPECT_TRUE(streams_to_open("writes").empty());
    const EnvironmentVariable set("STAITHE_OPENS", R"({"writes": {"melt": 4, "odd": "many"}, "reads": 5})");
    EXPECT_EQ(streams_to_open("writes"), (std::map<std::string, int>{{"melt", 4}, {"odd", 1}}));
    EXPECT_TRUE(streams_to_open("reads").empty());
    const EnvironmentVariable garbled("STAITHE_OPENS", "[");
    EXPECT_TRUE(streams_to_open("writes").empty());
}

TEST(RunDirectory, IsTheMostSpecificOneThatIsSet) {
    const EnvironmentVariable chosen("STAITHE_RUN_DIR", "/my/dir");
    const EnvironmentVariable runtime("XDG_RUNTIME_DIR", "/run/user/5");
    EXPECT_EQ(run_directory(5), "/my/dir");
    const EnvironmentVariable not_chosen("STAITHE_RUN_DIR", nullptr);
    EXPECT_EQ(run_directory(5), "/run/user/5/staithe");
    const EnvironmentVariable no_runtime("XDG_RUNTIME_DIR", nullptr);
    EXPECT_EQ(run_directory(5), "/tmp/staithe-5");
}

TEST(ProgramName, ComesFromTheEnvironmentOrTheCaller) {
    const EnvironmentVariable unset("STAITHE_PROGRAM", nullptr);
    EXPECT_EQ(program_name("lmp"), "lmp");
    const EnvironmentVariable set("STAITHE_PROGRAM", "lammps");
    EXPECT_EQ(program_name("lmp"), "lammps");
}

TEST(StreamSettings, AreThoseOfTheNamedStream) {
    const EnvironmentVariable unset("STAITHE_STREAMS", nullptr);
    EXPECT_EQ(stream_settings("melt").value(), Attributes{});
    const EnvironmentVariable set("STAITHE_STREAMS",
                                  R"({"melt": {"queue_steps": 2, "queue_bytes": "1 GiB"}, "bad": 5,
                                      "odd": {"queue_step": 2}})");
    EXPECT_EQ(stream_settings("melt").value(), (Attributes{{"queue_steps", 2}, {"queue_bytes", "1 GiB"}}));
    EXPECT_EQ(stream_settings("other").value(), Attributes{});
    EXPECT_EQ(stream_settings("bad").error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(stream_settings("odd").error().message.substr(0, 86),
              "STAITHE_STREAMS: 'odd' has 'queue_step', which no stream has; there are 'queue_steps',");
    for (const char* wrong : {"{", "[]", "melt"}) {
        const EnvironmentVariable garbled("STAITHE_STREAMS", wrong);
        EXPECT_EQ(stream_settings("melt").error().code, ErrorCode::invalid_argument) << wrong;
    }
}

TEST(ParseBytes, HasOneGrammarWithPython) {
    const std::pair<const char*, std::int64_t> sizes[] = {
#include "support/byte_sizes.inc"
    };
    for (const auto& [text, bytes] : sizes) {
        const auto parsed = parse_bytes(text);
        EXPECT_EQ(parsed.value_or(-1), bytes) << text;
        EXPECT_TRUE(parsed || parsed.error().code == ErrorCode::invalid_argument) << text;
    }
}

TEST(FormatBytes, IsShortAndRoundsToTheUnitAbove) {
    const std::pair<std::int64_t, const char*> sizes[] = {{0, "0 B"},         {999, "999 B"},
                                                          {1000, "1 KB"},     {1234, "1.23 KB"},
                                                          {99'950, "100 KB"}, {123'456, "123 KB"},
                                                          {999'999, "1 MB"},  {1'500'000'000, "1.5 GB"},
                                                          {-2000, "-2 KB"},   {5'000'000'000'000, "5 TB"}};
    for (const auto& [bytes, text] : sizes) {
        EXPECT_EQ(format_bytes(bytes), text);
    }
}

}  // namespace
}  // namespace staithe::base
