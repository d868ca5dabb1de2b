// A process that joined as a reader, and what it can do to the others: nothing.
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <thread>

#include <staithe/staithe.hpp>

#include "stream/directing/members.hpp"
#include "support/child_process.hpp"
#include "support/sanitizers.hpp"
#include "support/stream_test.hpp"
#include "unit/stream/hostile/intruder.hpp"

namespace staithe::stream {
namespace {

using namespace staithe::testing;

/// What the processes of a test tell each other.
struct Course {
    std::atomic<std::int64_t> steps{0};  // that the writers may write
    std::atomic<bool> attacked{false};
    std::atomic<bool> over{false};
    std::atomic<std::int64_t> most_memory{0};  // that rank 0 had
};

/// Two writer ranks in processes of their own, a reader in this one, and an intruder.
class HostileReaders : public StreamTest {
  protected:
    void SetUp() override {
        if (!forked_children_may_start_threads) {
            GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
        }
    }
    ~HostileReaders() override { ::munmap(course_, sizeof(Course)); }

    /// Runs the attack beside the others, who get a step after the other until it is over, and then some. An attack
    /// that makes each step cost much more leaves some time to itself by pauses.
    void expect_no_harm_by(const std::function<void(Intruder&)>& attack,
                           std::chrono::milliseconds pause = std::chrono::milliseconds(0)) {
        ChildProcess one([&] { return write(1); });
        ChildProcess zero([&] {
            std::freopen(log_.c_str(), "w", stderr);
            return write(0);
        });
        const Signal begin;
        ChildProcess intruder([&] {
            begin.await();
            Intruder process(run_directory(), "s", 7);
            attack(process);
            return 0;
        });
        Reader in("s");
        course_->steps = 1;
        const auto held = in.next();
        ASSERT_TRUE(held);
        const View view = held->variable("x").block(1);
        begin.give();
        std::thread watching([&] {
            EXPECT_EQ(intruder.wait(), 0);
            course_->attacked = true;
        });
        std::int64_t last = 0;
        for (int after = 0; after < 20; after += course_->attacked ? 1 : 0) {
            std::this_thread::sleep_for(pause);
            ++course_->steps;
            const auto step = in.next(30.0);
            ASSERT_TRUE(step);
            EXPECT_EQ(step->index(), ++last);
            expect_intact(*step);
        }
        watching.join();
        course_->over = true;
        EXPECT_FALSE(in.next(30.0));
        EXPECT_EQ(zero.wait(), 0) << log();
        EXPECT_EQ(one.wait(), 0);
        const std::string said = log();
        EXPECT_LT(std::count(said.begin(), said.end(), '\n'), 100) << said.substr(0, 10'000);
        const auto* const values = static_cast<const double*>(view.array.data);
        EXPECT_EQ(std::vector<double>(values, values + 16), values_of(0, 16, 16)) << "of a step that was held";
        expect_intact(*held);
    }

    [[nodiscard]] std::int64_t steps_so_far() const { return course_->steps; }
    [[nodiscard]] std::int64_t most_memory_of_rank_0() const { return course_->most_memory; }

  private:
    [[nodiscard]] std::string log() const {
        std::ifstream file(log_);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    int write(int rank) const {
        Writer out("s", {.group = {.rank = rank, .size = 2}, .queue_steps = 3});
        for (std::int64_t step = 0; !course_->over || step < course_->steps; ++step) {
            while (step >= course_->steps && !course_->over) {
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
            if (step < course_->steps) {
                write_step(out);
            }
        }
        out.close();
        if (rank == 0) {
            rusage used{};
            ::getrusage(RUSAGE_SELF, &used);
            course_->most_memory = used.ru_maxrss * 1024;
        }
        return 0;
    }

    const TemporaryDirectory directory_of_log_;
    const std::string log_ = directory_of_log_.path() + "/log";  // of rank 0
    Course* const course_ =
        new (::mmap(nullptr, sizeof(Course), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Course;
};

constexpr std::array<const char*, 3> policies{"block", "latest", "drop-oldest"};

TEST_F(HostileReaders, ThatSendRandomMessages) {
    expect_no_harm_by([](Intruder& intruder) {
        std::vector<Intruder::Place> places;
        for (const char* policy : policies) {
            places.push_back(intruder.join_as_reader(policy).value());
            ASSERT_TRUE(intruder.ask(message_type::ready, {{"member", places.back().member}}));
        }
        int taken = 0;
        for (int i = 0; i < 20'000; ++i) {
            taken += Intruder::say(places[intruder.random()() % places.size()], intruder.message()) ? 1 : 0;
        }
        EXPECT_GT(taken, 10'000);
    });
}

TEST_F(HostileReaders, ThatReleaseAndAskForWhatTheyMayNot) {
    expect_no_harm_by([](Intruder& intruder) {
        for (const char* policy : policies) {
            const auto place = intruder.join_as_reader(policy).value();
            ASSERT_TRUE(intruder.ask(message_type::ready, {{"member", place.member}}));
            for (std::int64_t round = 0; round < 300; ++round) {
                for (const Hot kind : {Hot::want, Hot::release, Hot::release, Hot::returned, Hot::record, Hot::finished,
                                       Hot::abandoned}) {
                    for (const std::int64_t step : {round, std::int64_t{0}, round + 1, INT64_MAX, INT64_MIN}) {
                        static_cast<void>(Intruder::say(place, hot_message(kind, step)));
                    }
                }
                transport::Message told;
                while (place.channel->receive(told)) {
                    told.kind = static_cast<std::uint32_t>(Hot::release);
                    static_cast<void>(Intruder::say(place, told));
                }
            }
            intruder.tell(message_type::leave, {{"member", place.member}});
        }
    });
}

TEST_F(HostileReaders, ThatNeverStopSendingKeepNobodyFromTheDirector) {
    expect_no_harm_by([&](Intruder& intruder) {
        const auto place = intruder.join_as_reader("latest").value();
        ASSERT_TRUE(intruder.ask(message_type::ready, {{"member", place.member}}));
        const std::int64_t enough = steps_so_far() + 300;
        const base::Deadline patience = Intruder::patience();
        while (steps_so_far() < enough && !patience.passed()) {
            static_cast<void>(place.channel->send(hot_message(Hot::want)));
        }
        EXPECT_GE(steps_so_far(), enough);
    });
}

TEST_F(HostileReaders, ThatWaitForWriterRanksAreNoMoreThanAProcessHas) {
    const Writer out("s", {.group = {.rank = 0, .size = 2}, .readers = 0});
    Intruder intruder(run_directory(), "s", 1);
    for (int i = 0; i < 10'000; ++i) {
        intruder.tell(message_type::join_reader, {{"id", 1'000'000 + i}, {"rank", 0}, {"size", 1}});
    }
    intruder.tell(message_type::join_reader, {{"id", 1}, {"rank", 0}, {"name", std::string(1 << 20, 'x')}});
    const auto report = intruder.ask(message_type::describe, {}).value().body;
    EXPECT_EQ(list_field(report, "joining")->size(), static_cast<std::size_t>(Members::most_of_a_process));
}

TEST_F(HostileReaders, ThatScribbleOverAllThatTheyMayWrite) {
    const EnvironmentVariable in_shared_memory("STAITHE_TEST_CHANNEL", nullptr);
    expect_no_harm_by([](Intruder& intruder) {
        auto pools = std::vector<os::FileDescriptor>();
        for (const char* policy : policies) {
            const auto place = intruder.join_as_reader(policy).value();
            pools = intruder.ask(message_type::stores, {{"member", place.member}, {"first", 0}}).value().descriptors;
            ASSERT_EQ(pools.size(), 2U);
            EXPECT_FALSE(is_writable(pools[0]));
            EXPECT_FALSE(is_writable(pools[1]));
            EXPECT_FALSE(is_writable(place.files[2])) << "the director's page";
            EXPECT_FALSE(is_writable(place.files[3])) << "its book";
            EXPECT_NE(::ftruncate(place.files[0].get(), 0), 0);
            ASSERT_TRUE(intruder.ask(message_type::ready, {{"member", place.member}}));
            scribble_over(place, intruder.random(), hot_message(Hot::release, 0));
            place.channel->show(shown_by_member::asleep_since, INT64_MIN);
            EXPECT_TRUE(intruder.ask(message_type::describe, {}));
        }
    });
}

TEST_F(HostileReaders, ThatFloodTheDirectorWithRequests) {
    expect_no_harm_by([](Intruder& intruder) {
        const auto place = intruder.join_as_reader("block").value();
        for (const char* type : {"join-writer", "stores", "ready", "detach", "pause", "resume", "follow", "awaits",
                                 "leave", "fail", "give-up", "describe", "nonsense"}) {
            for (std::int64_t other = 0; other < 30; ++other) {
                if (other != place.member) {
                    intruder.tell(type, {{"member", other}, {"ticket", other}, {"rank", other}, {"reason", "a lie"}});
                    if (type != std::string("leave") && type != std::string("fail") && type != std::string("give-up") &&
                        type != std::string("describe")) {
                        EXPECT_FALSE(intruder.ask(type, {{"member", other}})) << type << other;
                    }
                }
            }
        }
        for (int i = 0; i < 3000; ++i) {
            const auto type = std::array{"pause", "resume", "ready", "detach", "follow", "stores"}.at(i % 6);
            intruder.tell(type, {{"id", i}, {"member", place.member}, {"first", i % 3 - 1}});
        }
    });
}

TEST_F(HostileReaders, ThatTakePlacesAndNeverBecomeReady) {
    const auto take_places = [](Intruder& intruder) {
        std::vector<os::FileDescriptor> connections;  // who lets go of one gives its place back
        const auto places_taken = [&](int tries, std::int64_t size) {
            int taken = 0;
            for (int i = 0; i < tries; ++i) {
                auto place = intruder.ask(message_type::join_reader, {{"rank", i % 2},
                                                                      {"size", size},
                                                                      {"program", numbered("program", i)},
                                                                      {"group", ""},
                                                                      {"overflow", "latest"},
                                                                      {"start", intruder.number()},
                                                                      {"ticket", size}});
                if (place && !transport::sees_memory(decode_joined(place->body).value().channel)) {
                    connections.push_back(std::move(place->descriptors.front()));
                }
                taken += place ? 1 : 0;
            }
            return taken;
        };
        EXPECT_EQ(places_taken(10, INT64_MAX), 0);
        EXPECT_EQ(places_taken(1000, most_ranks), 1) << "each would take 16 MiB";
        intruder.tell(message_type::give_up, {{"ticket", most_ranks}});
        EXPECT_LE(places_taken(5000, 2), Members::most_of_a_process);
    };
    expect_no_harm_by(take_places, std::chrono::milliseconds(20));
    EXPECT_LT(most_memory_of_rank_0(), std::int64_t{1} << 30);
}

}  // namespace
}  // namespace staithe::stream
