// What `describe` and `stream_names` say.
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

#include "base/value_codec.hpp"
#include "stream/directing/membership.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class ReportTest : public StreamTest {};

std::int64_t number(const Attributes& map, const std::string& name) { return find(map, name)->as_int().value(); }
std::string text(const Attributes& map, const std::string& name) { return *find(map, name)->as_string(); }
double time_of(const Attributes& map, const std::string& name) { return find(map, name)->as_double().value(); }

std::set<std::string> names(const Attributes& map) {
    std::set<std::string> result;
    for (const auto& [name, value] : map) {
        result.insert(name);
    }
    return result;
}

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

TEST_F(ReportTest, TellsOfTheStreamItsQueueAndItsWriter) {
    const double began = now();
    Writer out("melt", {.queue_steps = 4, .queue_bytes = 1 << 20});
    write_steps(out, 3, 16);
    const Attributes report = describe("melt");
    EXPECT_EQ(names(report), (std::set<std::string>{"name",
                                                    "placement",
                                                    "pid",
                                                    "host",
                                                    "program",
                                                    "ranks",
                                                    "started",
                                                    "ended",
                                                    "steps",
                                                    "bytes",
                                                    "queue",
                                                    "stall_seconds",
                                                    "readers",
                                                    "variables",
                                                    "state",
                                                    "version",
                                                    "writers",
                                                    "joining",
                                                    "incomplete",
                                                    "closing_seconds",
                                                    "expected_readers",
                                                    "readers_seen",
                                                    "overflow",
                                                    "dropped",
                                                    "spilled_steps",
                                                    "spilled_bytes",
                                                    "now",
                                                    "server",
                                                    "kept"}));
    EXPECT_EQ(text(report, "name"), "melt");
    EXPECT_EQ(text(report, "placement"), "producer");
    EXPECT_EQ(text(report, "state"), "open");
    EXPECT_EQ(number(report, "pid"), ::getpid());
    EXPECT_EQ(number(report, "ranks"), 1);
    EXPECT_EQ(number(report, "steps"), 3);
    EXPECT_EQ(number(report, "bytes"), 3 * 16 * 8);
    EXPECT_GE(time_of(report, "started"), began - 1.0);
    EXPECT_LE(time_of(report, "started"), now() + 1.0);
    EXPECT_GE(time_of(report, "stall_seconds"), 0.0);
    EXPECT_EQ(*find(report, "queue")->as_map(),
              (Attributes{{"steps", 3}, {"limit_steps", 4}, {"bytes", 3 * 16 * 8}, {"limit_bytes", 1 << 20}}));
    EXPECT_TRUE(find(report, "readers")->as_list()->empty());
}

TEST_F(ReportTest, TellsByWhichWayBlocksTravelAndWhenThatChanges) {
    Writer out("s");
    const Reader in("s");
    const auto endpoint = transport::Endpoint::shared(run_directory()).value();
    const auto membership = stream::Membership::join(endpoint, "s",
                                                     {{"type", stream::message_type::join_reader},
                                                      {"rank", 0},
                                                      {"size", 1},
                                                      {"group", "g"},
                                                      {"program", "far"},
                                                      {"overflow", ""},
                                                      {"start", -1}},
                                                     nullptr, stream::OpeningTime(20.0), {})
                                .value();
    for (const char* way : {"verbs 117.0", "TCP: the adapter is gone"}) {
        membership->tell(stream::message_type::fetches, {{"rank", 0}, {"way", way}});
    }
    static_cast<void>(membership->awaited());  // what was said before was heard
    const Attributes report = describe("s");
    for (const Value& group : *find(report, "readers")->as_list()) {
        const Attributes& member = *find(*group.as_map(), "members")->as_list()->front().as_map();
        if (text(*group.as_map(), "program") == "far") {
            const Attributes& network = *find(member, "network")->as_list()->front().as_map();
            EXPECT_EQ(find(network, "rank")->as_int(), 0);
            EXPECT_EQ(text(network, "way"), "TCP: the adapter is gone");
        }
    }
}

TEST_F(ReportTest, TellsOfReadersAndHowFarTheyAre) {
    Writer out("s", {.queue_steps = 8});
    Reader in("s", {.program = "plotter"});
    write_steps(out, 5);
    for (int i = 0; i < 2; ++i) {
        static_cast<void>(in.next());
    }
    const ReadStep held = in.next().value();
    const Attributes report = describe("s");
    ASSERT_EQ(find(report, "readers")->as_list()->size(), 1U);
    const Attributes& reader = *find(report, "readers")->as_list()->front().as_map();
    EXPECT_EQ(names(reader), (std::set<std::string>{"program", "pid", "ranks", "joined", "steps", "lag", "members",
                                                    "overflow", "dropped", "paused"}));
    EXPECT_EQ(text(reader, "program"), "plotter");
    EXPECT_EQ(number(reader, "pid"), ::getpid());
    EXPECT_EQ(number(reader, "ranks"), 1);
    EXPECT_EQ(number(reader, "steps"), 2);
    EXPECT_EQ(number(reader, "lag"), 3);
    EXPECT_GT(time_of(reader, "joined"), now() - 60.0);
}

TEST_F(ReportTest, TellsOfTheVariablesOfTheNewestStep) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}});
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    const std::vector<float> values(6);
    for (Writer* out : {&zero, &one}) {
        WriteStep step = out->begin_step();
        step.put("global", ArrayView::row_major(values.data(), Dtype::f32, {2, 3}),
                 {.offset = Extents{2 * out->group().rank, 0}, .shape = Extents{4, 3}, .unit = "K"});
        step.put("local", std::span<const float>(values));
        step.end();
    }
    while (number(describe("s"), "steps") == 0) {  // rank 1's record travels
    }
    const List expected{
        Attributes{{"name", "global"}, {"dtype", "f4"}, {"shape", List{4, 3}}, {"unit", "K"}, {"blocks", 2}},
        Attributes{{"name", "local"}, {"dtype", "f4"}, {"shape", nullptr}, {"unit", ""}, {"blocks", 2}}};
    EXPECT_EQ(*find(describe("s"), "variables")->as_list(), expected);
}

TEST_F(ReportTest, NamesLiveStreamsOnly) {
    EXPECT_TRUE(stream_names().empty());
    const Writer b("b", {.readers = 0});
    {
        const Writer a("a", {.readers = 0});
        EXPECT_EQ(stream_names(), (std::vector<std::string>{"a", "b"}));
    }
    EXPECT_EQ(stream_names(), std::vector<std::string>{"b"});
    EXPECT_THROW(static_cast<void>(describe("a")), NotFound);
    EXPECT_THROW(static_cast<void>(describe("no/name")), InvalidArgument);
}

TEST_F(ReportTest, ReportsOfManyVariablesFit) {
    Writer out("s", {.readers = 0});
    const double value = 1.0;
    WriteStep step = out.begin_step();
    for (int i = 0; i < 5000; ++i) {
        step.put(numbered("a_variable_with_a_rather_long_name_", i), std::span(&value, 1), {.unit = "some long unit"});
    }
    step.end();
    EXPECT_EQ(find(describe("s", 20.0), "variables")->as_list()->size(), 5000U);
}

TEST_F(ReportTest, LargeAttributesOfAStreamReachItsReaders) {
    const Attributes attributes{{"mesh", std::string(2 << 20, 'm')}};
    Writer out("s", {.readers = 0, .attributes = attributes});
    const Reader in("s", {.timeout = 20.0});
    EXPECT_EQ(in.attributes(), attributes);
}

TEST_F(ReportTest, SummaryIsWrittenAtTheEnd) {
    const TemporaryDirectory summaries;
    const EnvironmentVariable chosen("STAITHE_SUMMARY_DIR", summaries.path().c_str());
    {
        Writer out("s", {.readers = 1});
        Reader in("s");
        write_steps(out, 2);
        out.close();
        EXPECT_EQ(read_to_end(in).size(), 2U);
    }
    std::ifstream file(summaries / "s.json");
    std::stringstream content;
    content << file.rdbuf();
    const auto parsed = base::from_json(content.str());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(number(*parsed->as_map(), "steps"), 2);
    EXPECT_EQ(text(*parsed->as_map(), "state"), "closed");
    EXPECT_GE(time_of(*parsed->as_map(), "ended"), time_of(*parsed->as_map(), "started"));
}

TEST_F(ReportTest, SummaryThatCannotBeWrittenHarmsNobody) {
    const EnvironmentVariable chosen("STAITHE_SUMMARY_DIR", "/nowhere/at/all");
    Writer out("s", {.readers = 0});
    write_step(out);
    EXPECT_NO_THROW(out.close());
}

}  // namespace
}  // namespace staithe
