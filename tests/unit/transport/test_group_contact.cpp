// What rank 0 tells the other ranks of its group: the text, and what a process makes of it.
#include "transport/group_contact.hpp"

#include <unistd.h>

#include <array>

#include <gmock/gmock.h>

#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/search.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class GroupContactTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::string rank_0() const { return rank_0_.path(); }
    [[nodiscard]] std::string rank_1() const { return rank_1_.path(); }
    [[nodiscard]] GroupContact told() const { return GroupContact::parse(tell_group(rank_0()).value()).value(); }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory rank_0_, rank_1_;
};

/// Tests leave nothing in this process: what was told stays until its end.
template <class Test>
void in_a_child(const Test& test) {
    testing::ChildProcess child([&] {
        test();
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(GroupContactTest, TextHoldsKeyProcessAndAddresses) {
    in_a_child([&] {
        const GroupContact contact = told();
        EXPECT_EQ(contact.process, os::this_process());
        EXPECT_THAT(contact.addresses, Not(IsEmpty()));
        EXPECT_EQ(contact.key->bytes(), Key::of_run_directory(rank_0(), Key::IfMissing::leave).value()->bytes());
        EXPECT_EQ(to_text(contact), tell_group(rank_0()).value()) << "asked again, the same port";
    });
}

TEST_F(GroupContactTest, GarbledTextIsRefused) {
    in_a_child([&] {
        const std::string text = tell_group(rank_0()).value();
        for (const std::string& wrong :
             {std::string(), std::string("\n"), std::string(64, '0'), std::string(64, '0') + "\n", "x" + text,
              std::string(64, 'g') + text.substr(64), text.substr(0, 64) + text.substr(65), text.substr(65),
              text.substr(0, 65) + "{}", text.substr(0, text.size() / 2), text.substr(0, 65) + "[" + text.substr(65)}) {
            const auto contact = GroupContact::parse(wrong);
            ASSERT_FALSE(contact) << wrong;
            EXPECT_EQ(contact.error().code, ErrorCode::protocol);
            EXPECT_THAT(contact.error().message, HasSubstr("one version of Staithe in all ranks"));
            EXPECT_FALSE(take_from_group(wrong));
        }
        EXPECT_THAT(told_by_groups(), IsEmpty());
        auto nowhere = GroupContact::parse(text).value();
        nowhere.addresses.clear();
        EXPECT_FALSE(GroupContact::parse(to_text(nowhere)));
    });
}

TEST_F(GroupContactTest, NothingIsToldWhereNobodyMayListen) {
    in_a_child([&] {
        const testing::EnvironmentVariable off("STAITHE_LISTEN", "off");
        EXPECT_EQ(tell_group(rank_0()).value(), "");
    });
}

TEST_F(GroupContactTest, WhoWasToldFindsWhatRank0HasAndListensItself) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    testing::ChildProcess rank_0_process([&] {
        const std::string text = tell_group(rank_0()).value();
        const auto self = Endpoint::shared(rank_0()).value();
        const auto answer = [](const auto& link, const Packet& packet) {
            static_cast<void>(link->reply(packet.id(), Attributes{{"said", "it is me"}}));
        };
        if (!self->offer("melt", answer) ||
            !Directory(rank_0()).publish(own_entry(Kind::stream, "melt", self->addresses(), self->self()))) {
            return 1;
        }
        return ::write(pipe[1], text.c_str(), text.size() + 1) > 0 ? ::pause() : 1;
    });
    std::string text(8192, '\0');
    ASSERT_GT(::read(pipe[0], text.data(), text.size()), 0);
    text.resize(text.find('\0'));
    in_a_child([&] {
        const base::Deadline deadline(base::Seconds(20.0));
        const auto self = Endpoint::shared(rank_1()).value();
        EXPECT_EQ(Search(rank_1(), self, Kind::stream, "melt", {}).look(deadline).value(), std::nullopt);
        EXPECT_EQ(self->place_to_listen({}), std::nullopt);
        ASSERT_TRUE(take_from_group(text));
        ASSERT_TRUE(take_from_group(text));
        EXPECT_THAT(told_by_groups(), SizeIs(1)) << "of each process once";
        EXPECT_EQ(self->place_to_listen({}), ":0");
        EXPECT_EQ(self->place_to_listen("off"), std::nullopt);
        const auto found = Search(rank_1(), self, Kind::stream, "melt", {}).look(deadline).value();
        ASSERT_TRUE(found);
        EXPECT_EQ(found->peer.pid, rank_0_process.pid());
        const auto link = reach(*self, *found, deadline).value();
        EXPECT_EQ(text_of(link->call({{"service", "melt"}}, {}, deadline).value().body, "said"), "it is me");
    });
    for (const int end : pipe) {
        ::close(end);
    }
}

}  // namespace
}  // namespace staithe::transport
