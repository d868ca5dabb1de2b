// What every way of a channel must do: hot messages between a member and its director, words that each shows the other,
// and sleeping until there is news, whatever is underneath.
//
// A new way shows that it conforms with a struct of its own (see test_channels.cpp):
//
//     struct MyWay {
//         static constexpr const char* setting = "mine";  // of STAITHE_TEST_CHANNEL
//         static constexpr auto member = transport::Switchboard::Member::near;
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, ChannelSuite, MyWay);
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/echoing_director.hpp"
#include "support/environment_variable.hpp"
#include "support/noise.hpp"
#include "support/watchdog.hpp"
#include "transport/channel/switchboard.hpp"

namespace staithe::testing {

inline Message message_number(std::uint64_t number) {
    const auto n = static_cast<std::int64_t>(number);
    return {static_cast<std::uint32_t>(number % 7), static_cast<std::uint32_t>(number), number, n * 3, n * 5, -n, {}};
}

inline bool is_number(const Message& message, std::uint64_t number) {
    const Message expected = message_number(number);
    return std::memcmp(&message, &expected, sizeof(message)) == 0;
}

/// Waits for the message of that number.
inline bool await_number(Channel& channel, Patience& patience, std::uint64_t number) {
    Message message;
    return channel.wait(base::Deadline(base::Seconds(20)), patience, [&] { return channel.receive(message); }) &&
           is_number(message, number);
}

/// Long enough for the other side to fall asleep, now and then.
inline void pause_now_and_then(std::uint64_t number) {
    if (number % 64 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(150));
    }
}

template <class T>
class ChannelSuite : public ::testing::Test {
  protected:
    static constexpr std::uint64_t slots = 8;

    /// Both ends, in this process.
    struct Ends {
        std::shared_ptr<Channel> director, member;
    };

    /// A director's side. `on_news` may be called in the loop's thread from `listen` on.
    std::shared_ptr<Switchboard> switchboard(Switchboard::OnNews on_news = [] { return false; }) {
        if (!loop_) {
            loop_ = transport::EventLoop::start().value();
        }
        return Switchboard::create(*loop_, std::move(on_news)).value();
    }
    Ends connect(Switchboard& switchboard) {
        auto connection = connect_member(switchboard, slots);
        return {std::move(connection.channel), open(connection.description, std::move(connection.descriptors)).value()};
    }
    base::Result<std::shared_ptr<Channel>> open(const Attributes& description,
                                                std::vector<os::FileDescriptor> descriptors) {
        return transport::open_channel(description, std::move(descriptors), *loop_);
    }
    static Switchboard::Connection connect_member(Switchboard& switchboard, std::uint64_t messages) {
        auto connection = switchboard.connect_member(messages, messages, T::member).value();
        if (T::member == Switchboard::Member::far) {
            auto sockets = os::create_socket_pair().value();
            EXPECT_TRUE(connection.attach(std::move(sockets.first)));
            connection.descriptors.push_back(std::move(sockets.second));
        }
        return connection;
    }

    /// Sends messages both ways, each side waiting for the other's.
    static void play_ping_pong(Channel& here, Channel& there, std::uint64_t turns) {
        std::thread answering([&] {
            Patience patience;
            for (std::uint64_t i = 0; i < turns; ++i) {
                ASSERT_TRUE(await_number(there, patience, i)) << i;
                ASSERT_TRUE(there.send(message_number(i)));
            }
        });
        Patience patience;
        for (std::uint64_t i = 0; i < turns; ++i) {
            pause_now_and_then(i);
            EXPECT_TRUE(here.send(message_number(i)));
            EXPECT_TRUE(await_number(here, patience, i)) << i;
        }
        answering.join();
    }

  private:
    const EnvironmentVariable way_{"STAITHE_TEST_CHANNEL", T::setting};
    Watchdog watchdog_;
    std::unique_ptr<transport::EventLoop> loop_;
};

TYPED_TEST_SUITE_P(ChannelSuite);

TYPED_TEST_P(ChannelSuite, CarriesMessagesInOrderBothWays) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    for (const auto& [from, to] : {std::pair(ends.director, ends.member), std::pair(ends.member, ends.director)}) {
        Message message;
        EXPECT_FALSE(to->receive(message));
        for (std::uint64_t i = 0; i < 100; ++i) {
            EXPECT_TRUE(from->send(message_number(2 * i)));
            EXPECT_TRUE(from->send(message_number(2 * i + 1)));
            EXPECT_TRUE(to->receive(message) && is_number(message, 2 * i));
            EXPECT_TRUE(to->receive(message) && is_number(message, 2 * i + 1));
        }
        EXPECT_FALSE(to->receive(message));
    }
}

TYPED_TEST_P(ChannelSuite, WhatCanWaitArrivesInOrderAndByItself) {
    const auto switchboard = this->switchboard();
    auto connection = this->connect_member(*switchboard, 64);
    const auto member = this->open(connection.description, std::move(connection.descriptors)).value();
    for (const auto& [from, to] : {std::pair(connection.channel, member), std::pair(member, connection.channel)}) {
        Message message;
        EXPECT_TRUE(from->send_soon(message_number(0)));
        EXPECT_TRUE(from->send(message_number(1)));
        for (std::uint64_t i = 0; i < 2; ++i) {
            EXPECT_TRUE(to->receive(message) && is_number(message, i));
        }
        EXPECT_TRUE(from->send_soon(message_number(2)));  // and its sender does nothing more
        while (!to->receive(message)) {
            std::this_thread::yield();
        }
        EXPECT_TRUE(is_number(message, 2));
        for (std::uint64_t i = 0; i < 64; ++i) {
            EXPECT_TRUE(from->send_soon(message_number(i))) << i;
        }
    }
}

TYPED_TEST_P(ChannelSuite, CarriesWhatIsEnclosedWhereTheOtherEndDoesNotSeeIt) {
    const auto switchboard = this->switchboard();
    auto connection = this->connect_member(*switchboard, this->slots);
    const auto member = this->open(connection.description, std::move(connection.descriptors)).value();
    const auto bytes = noise(1'000'003);
    Patience patience;
    for (const std::size_t size : {bytes.size(), std::size_t{0}, std::size_t{1}}) {
        ASSERT_TRUE(connection.channel->send(message_number(size), std::span(bytes).first(size)));
        ASSERT_TRUE(await_number(*member, patience, size));
        const auto enclosed = member->take_enclosed();
        ASSERT_EQ(enclosed.has_value(), !transport::sees_memory(connection.description));
        EXPECT_TRUE(!enclosed || std::equal(enclosed->begin(), enclosed->end(), bytes.begin(), bytes.begin() + size));
    }
}

TYPED_TEST_P(ChannelSuite, TakesAsManyAsItWasMadeForAndLosesNoneThatItTook) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    for (const auto& [from, to] : {std::pair(ends.director, ends.member), std::pair(ends.member, ends.director)}) {
        std::uint64_t taken = 0;
        while (taken < 1'000'000 && from->send(message_number(taken))) {
            ++taken;
        }
        EXPECT_GE(taken, this->slots);
        EXPECT_LT(taken, 1'000'000U) << "an end that nobody reads must not take memory for ever";
        Patience patience;
        for (std::uint64_t i = 0; i < taken; ++i) {
            ASSERT_TRUE(await_number(*to, patience, i)) << i << " of " << taken;
            Message message;
            EXPECT_FALSE(from->receive(message));  // a chance to hand over what waits
        }
        EXPECT_TRUE(from->send(message_number(taken))) << "and goes on";
        EXPECT_TRUE(await_number(*to, patience, taken));
    }
}

TYPED_TEST_P(ChannelSuite, DrainsNoMoreThanItIsAskedFor) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    for (std::uint64_t i = 0; i < 5; ++i) {
        EXPECT_TRUE(ends.member->send(message_number(i)));
    }
    std::uint64_t next = 0;
    const auto take = [&](const Message& message) { EXPECT_TRUE(is_number(message, next++)); };
    EXPECT_EQ(ends.director->drain(3, take), 3U);
    EXPECT_EQ(ends.director->drain(3, take), 2U);
    EXPECT_EQ(ends.director->drain(3, take), 0U);
}

TYPED_TEST_P(ChannelSuite, ShowsTheLastValueOfEachWord) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    for (const auto& [from, to] : {std::pair(ends.director, ends.member), std::pair(ends.member, ends.director)}) {
        for (std::size_t word = 0; word < Channel::words; ++word) {
            EXPECT_EQ(to->shown(word), 0);
            from->show(word, INT64_MAX);
            from->show(word, -static_cast<std::int64_t>(word) - 1);
        }
        for (std::size_t word = 0; word < Channel::words; ++word) {
            EXPECT_EQ(to->shown(word), -static_cast<std::int64_t>(word) - 1);
            EXPECT_EQ(from->shown(word), from == ends.director ? 0 : -static_cast<std::int64_t>(word) - 1)
                << "each side has words of its own";
        }
    }
}

TYPED_TEST_P(ChannelSuite, WhatIsShownComesNoLaterThanWhatIsSentAfterIt) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    std::thread showing([&] {
        for (std::int64_t i = 1; i <= 2000; ++i) {
            ends.member->show(3, i);
            while (!ends.member->send(message_number(static_cast<std::uint64_t>(i)))) {
                Message message;
                EXPECT_FALSE(ends.member->receive(message));
                std::this_thread::yield();
            }
        }
    });
    Patience patience;
    for (std::int64_t i = 1; i <= 2000; ++i) {
        EXPECT_TRUE(await_number(*ends.director, patience, static_cast<std::uint64_t>(i)));
        EXPECT_GE(ends.director->shown(3), i);
    }
    showing.join();
}

TYPED_TEST_P(ChannelSuite, WaitEndsAtItsDeadline) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    for (const auto& end : {ends.director, ends.member}) {
        Patience patience;
        const auto began = base::Clock::now();
        EXPECT_FALSE(end->wait(base::Deadline(base::Seconds(0.02)), patience, [] { return false; }));
        EXPECT_GE(base::Clock::now() - began, std::chrono::milliseconds(20));
        EXPECT_TRUE(end->wait(base::Deadline(base::Seconds(0)), patience, [] { return true; }));
    }
}

TYPED_TEST_P(ChannelSuite, AnotherThreadWakesWhoWaits) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    for (const auto& end : {ends.director, ends.member}) {
        for (int turn = 0; turn < 200; ++turn) {
            std::atomic<bool> ready{false};
            std::thread waking([&] {
                pause_now_and_then(static_cast<std::uint64_t>(turn % 2) * 64);
                ready = true;
                end->wake();
            });
            Patience patience;
            EXPECT_TRUE(end->wait(base::Deadline(base::Seconds(20)), patience, [&] { return ready.load(); }));
            waking.join();
        }
    }
}

TYPED_TEST_P(ChannelSuite, WhatIsShownWakesWhoWaitsForItAfterARing) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    std::thread showing([&] {
        for (std::int64_t i = 1; i <= 200; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            ends.director->show(0, i);
            ends.director->ring();
        }
    });
    Patience patience;
    for (std::int64_t i = 1; i <= 200; ++i) {
        EXPECT_TRUE(
            ends.member->wait(base::Deadline(base::Seconds(20)), patience, [&] { return ends.member->shown(0) >= i; }));
    }
    showing.join();
}

TYPED_TEST_P(ChannelSuite, LosesNoWakeUp) {
    const auto switchboard = this->switchboard();
    const auto ends = this->connect(*switchboard);
    this->play_ping_pong(*ends.director, *ends.member, 5000);
    this->play_ping_pong(*ends.member, *ends.director, 5000);
}

TYPED_TEST_P(ChannelSuite, TheLoopAttendsToNewsWhileItListens) {
    constexpr int members = 4;
    constexpr std::uint64_t messages = 2000;
    struct Director {
        std::mutex mutex;
        std::vector<std::shared_ptr<Channel>> channels;
        std::array<std::uint64_t, members> received{};
        std::atomic<std::uint64_t> total{0};

        bool look() {
            const std::lock_guard lock(mutex);
            bool any = false;
            for (std::size_t i = 0; i < channels.size(); ++i) {
                const auto count = channels[i]->drain(3, [&](const Message& message) {
                    EXPECT_TRUE(is_number(message, received[i]++));
                    ++total;
                });
                any = any || count > 0;
            }
            return any;
        }
        void let_go() {  // the switchboard holds what looks, and a channel may hold its switchboard
            std::vector<std::shared_ptr<Channel>> gone;
            const std::lock_guard lock(mutex);
            gone.swap(channels);
        }
    };
    const auto director = std::make_shared<Director>();  // the loop may still be looking when the test is over
    const auto switchboard = this->switchboard([director] { return director->look(); });
    std::vector<std::shared_ptr<Channel>> ends;
    for (int i = 0; i < members; ++i) {
        const auto both = this->connect(*switchboard);
        director->channels.push_back(both.director);
        ends.push_back(both.member);
        EXPECT_TRUE(both.member->send(message_number(0)));  // before anybody listens
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(director->total, 0U);
    ASSERT_TRUE(switchboard->listen(true));
    std::vector<std::thread> threads;
    for (int i = 0; i < members; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937 random(static_cast<unsigned>(i));
            for (std::uint64_t number = 1; number < messages; ++number) {
                while (!ends[static_cast<std::size_t>(i)]->send(message_number(number))) {
                    std::this_thread::yield();
                }
                if (random() % 16 == 0) {
                    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    while (director->total < members * messages) {  // the watchdog ends the test if one was missed
        std::this_thread::yield();
    }
    ASSERT_TRUE(switchboard->listen(false));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it may be in the middle of looking
    EXPECT_TRUE(ends[0]->send(message_number(messages)));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(director->total, members * messages) << "nobody listens any more";
    director->let_go();
}

TYPED_TEST_P(ChannelSuite, WhoWaitsMissesNothingWhileListeningIsSwitchedOnAndOff) {
    struct Director {
        std::mutex mutex;
        std::shared_ptr<Channel> channel;
        std::uint64_t received = 0;
        std::weak_ptr<Switchboard> switchboard;

        bool look() {
            const std::lock_guard lock(mutex);
            return channel && channel->drain(4, [&](const Message& m) { EXPECT_TRUE(is_number(m, received++)); }) > 0;
        }
        void let_go() {  // the switchboard holds what looks, and a channel may hold its switchboard
            std::shared_ptr<Channel> gone;
            const std::lock_guard lock(mutex);
            gone.swap(channel);
        }
    };
    const auto director = std::make_shared<Director>();  // the loop may still be looking when the test is over
    const auto switchboard = this->switchboard([director] {
        const bool any = director->look();
        if (const auto self = director->switchboard.lock(); self && any) {
            self->wake();
        }
        return any;
    });
    director->switchboard = switchboard;
    const auto ends = this->connect(*switchboard);
    {
        const std::lock_guard lock(director->mutex);
        director->channel = ends.director;
    }
    std::atomic<bool> ended{false};
    std::thread switching([&] {
        for (bool on = true; !ended; on = !on) {
            EXPECT_TRUE(switchboard->listen(on));
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        EXPECT_TRUE(switchboard->listen(false));
    });
    std::atomic<std::uint64_t> acknowledged{0};
    std::thread sending([&] {
        for (std::uint64_t i = 0; i < 2000; ++i) {
            pause_now_and_then(i % 8 * 8);
            EXPECT_TRUE(ends.member->send(message_number(i)));
            while (acknowledged <= i) {
                std::this_thread::yield();
            }
        }
    });
    Patience patience;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        EXPECT_TRUE(switchboard->wait(base::Deadline(base::Seconds(20)), patience, [&] {
            director->look();
            const std::lock_guard lock(director->mutex);
            return director->received > i;
        })) << i;
        acknowledged = i + 1;
    }
    ended = true;
    sending.join();
    switching.join();
    director->let_go();
}

TYPED_TEST_P(ChannelSuite, LosesNoWakeUpBetweenProcesses) {
    const EchoingDirector director(this->slots);
    Patience patience;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        pause_now_and_then(i);
        EXPECT_TRUE(director.member().send(message_number(i)));
        EXPECT_TRUE(await_number(director.member(), patience, i)) << i;
    }
    Message last;
    last.step = UINT64_MAX;
    EXPECT_TRUE(director.member().send(last));
    EXPECT_EQ(director.process().wait(), 0);
}

TYPED_TEST_P(ChannelSuite, AMemberOutlivesItsDirector) {
    const EchoingDirector director(this->slots);
    Patience patience;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    director.process().signal(SIGSTOP);  // while it sleeps: so members ring
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(director.member().send(message_number(0)));
    director.process().kill();
    std::uint64_t sent = 0;
    while (sent < 1'000'000 && director.member().send(message_number(sent))) {  // SIGPIPE would end this process
        ++sent;
    }
    EXPECT_LT(sent, 1'000'000U);
    Message message;
    EXPECT_FALSE(director.member().wait(base::Deadline(base::Seconds(0.01)), patience,
                                        [&] { return director.member().receive(message); }));
}

TYPED_TEST_P(ChannelSuite, AMemberHoldsFewDescriptors) {
    const auto switchboard = this->switchboard();
    const auto first = this->connect(*switchboard);
    const auto used_before = base::used(base::Resource::descriptors);
    std::vector<typename TestFixture::Ends> ends;
    for (int i = 0; i < 10; ++i) {
        ends.push_back(this->connect(*switchboard));
    }
    EXPECT_LE(base::used(base::Resource::descriptors), used_before + 10 * 3) << "of both ends together";
}

TYPED_TEST_P(ChannelSuite, RefusesWhatIsNoChannel) {
    const auto switchboard = this->switchboard();
    const auto connect = [&] { return this->connect_member(*switchboard, this->slots); };
    const auto refuses = [this](const Attributes& description, std::vector<os::FileDescriptor> descriptors) {
        const auto opened = this->open(description, std::move(descriptors));
        return !opened && opened.error().code == ErrorCode::protocol;
    };
    for (const char* field : {"down_slots", "up_slots", "way"}) {
        for (const Value& value : {Value(), Value(-1), Value(0), Value(3), Value(INT64_MAX), Value("?")}) {
            auto connection = connect();
            connection.description[field] = value;
            EXPECT_TRUE(refuses(connection.description, std::move(connection.descriptors))) << field;
        }
    }
    auto connection = connect();
    connection.descriptors.pop_back();
    EXPECT_TRUE(refuses(connection.description, std::move(connection.descriptors)));
    EXPECT_TRUE(refuses(connection.description, {}));
    EXPECT_TRUE(refuses({}, connect().descriptors));
}

REGISTER_TYPED_TEST_SUITE_P(ChannelSuite, CarriesMessagesInOrderBothWays, WhatCanWaitArrivesInOrderAndByItself,
                            CarriesWhatIsEnclosedWhereTheOtherEndDoesNotSeeIt,
                            TakesAsManyAsItWasMadeForAndLosesNoneThatItTook, DrainsNoMoreThanItIsAskedFor,
                            ShowsTheLastValueOfEachWord, WhatIsShownComesNoLaterThanWhatIsSentAfterIt,
                            WaitEndsAtItsDeadline, AnotherThreadWakesWhoWaits, WhatIsShownWakesWhoWaitsForItAfterARing,
                            LosesNoWakeUp, TheLoopAttendsToNewsWhileItListens,
                            WhoWaitsMissesNothingWhileListeningIsSwitchedOnAndOff, LosesNoWakeUpBetweenProcesses,
                            AMemberOutlivesItsDirector, AMemberHoldsFewDescriptors, RefusesWhatIsNoChannel);

}  // namespace staithe::testing
