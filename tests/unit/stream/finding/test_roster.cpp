#include "stream/finding/roster.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process_identity.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::stream {
namespace {

class RosterTest : public ::testing::Test {
  protected:
    void write(const std::string& content) const {
        ASSERT_TRUE(os::write_atomically(directory_ / "programs.json", content));
    }
    void write_programs(const List& programs) const { write(base::to_json(Attributes{{"programs", programs}})); }
    [[nodiscard]] std::vector<ProgramToCome> to_come(const std::string& stream, Side side) const {
        return programs_to_come(directory_.path(), stream, side);
    }
    /// That is to write "field" and to read "waves".
    static Attributes program(const std::string& name) {
        return {{"name", name}, {"writes", List{"field"}}, {"reads", List{"waves"}}};
    }
    static Attributes program(const std::string& name, const os::ProcessIdentity& process) {
        Attributes fields = program(name);
        fields["boot"] = process.boot;
        fields["pid_namespace"] = static_cast<std::int64_t>(process.pid_namespace);
        fields["pid"] = process.pid;
        fields["start_time"] = static_cast<std::int64_t>(process.start_time);
        return fields;
    }

  private:
    testing::TemporaryDirectory directory_;
};

TEST_F(RosterTest, WithoutOneNobodyIsKnownToCome) { EXPECT_TRUE(to_come("field", Side::writes).empty()); }

TEST_F(RosterTest, NamesWhoIsToOpenAStream) {
    write_programs({program("sim")});
    ASSERT_EQ(to_come("field", Side::writes).size(), 1U);
    EXPECT_EQ(to_come("field", Side::writes)[0].name, "sim");
    EXPECT_EQ(to_come("waves", Side::reads).size(), 1U);
    EXPECT_TRUE(to_come("field", Side::reads).empty());
    EXPECT_TRUE(to_come("waves", Side::writes).empty());
}

TEST_F(RosterTest, TellsWhoLives) {
    const os::ProcessIdentity own = os::this_process();
    os::ProcessIdentity ended = own;
    --ended.start_time;
    os::ProcessIdentity elsewhere = ended;
    elsewhere.boot = "00000001";
    os::ProcessIdentity in_a_container = ended;
    in_a_container.pid_namespace = 7;
    write_programs({program("not started"), program("runs", own), program("ended", ended),
                    program("elsewhere", elsewhere), program("in a container", in_a_container)});
    std::string ended_ones;
    for (const ProgramToCome& found : to_come("field", Side::writes)) {
        ended_ones += found.lives ? "" : found.name + ";";
    }
    EXPECT_EQ(to_come("field", Side::writes).size(), 5U);
    EXPECT_EQ(ended_ones, "ended;") << "who cannot be seen from here may live";
}

TEST_F(RosterTest, GarbageNamesNobody) {
    for (const char* content : {"", "{", "[]", "{}", R"({"programs": 5})", R"({"programs": [5, {"writes": "field"}]})",
                                R"({"programs": [{"writes": [5]}]})"}) {
        write(content);
        EXPECT_TRUE(to_come("field", Side::writes).empty()) << content;
    }
}

}  // namespace
}  // namespace staithe::stream
