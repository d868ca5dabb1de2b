#include "store/remote/link_rate.hpp"

#include <array>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

namespace staithe::store::remote {
namespace {

/// A link that connections share, whose time is counted in ticks.
class Link {
  public:
    /// All of so many connections have some, of which each carries so many bytes.
    void carry(std::int64_t bytes, double rate, std::size_t connections = 1) {
        const double took = static_cast<double>(bytes) * static_cast<double>(connections) / rate;
        pause(base::Seconds(took));
        for (std::size_t i = 0; i < connections; ++i) {
            Carried& carried = carried_.at(i);
            carried.bytes += bytes;
            carried.busy += took;
            found.look(i, carried.bytes, base::Seconds(std::floor(carried.busy / tick) * tick), now_);
        }
    }
    void carry_times(int times, std::int64_t bytes, double rate, std::size_t connections = 1) {
        for (int i = 0; i < times; ++i) {
            carry(bytes, rate, connections);
        }
    }
    /// One after the other has so many bytes, while the others have none.
    void carry_in_turn(std::int64_t bytes, double rate) {
        for (std::size_t i = 0; i < carried_.size(); ++i) {
            const base::Seconds took(static_cast<double>(bytes) / rate);
            pause(took);
            carried_.at(i).bytes += bytes;
            carried_.at(i).busy += took.count();
            found.look(i, carried_.at(i).bytes, base::Seconds(carried_.at(i).busy), now_);
        }
    }
    /// A connection has some, of which nothing is carried.
    void stall(base::Seconds time) {
        pause(time);
        carried_.front().busy += time.count();
        found.look(0, carried_.front().bytes, base::Seconds(carried_.front().busy), now_);
    }
    void pause(base::Seconds time) { now_ += std::chrono::duration_cast<base::Clock::duration>(time); }
    [[nodiscard]] base::Seconds backlog() const { return found.backlog(now_); }
    void hand(std::int64_t bytes) { found.hand(bytes, now_); }

    LinkRate found;

  private:
    static constexpr double tick = 4e-3;
    struct Carried {
        std::int64_t bytes = 0;
        double busy = 0.0;
    };
    std::array<Carried, 8> carried_;
    base::Clock::time_point now_{};
};

TEST(LinkRate, IsWhatWasCarriedInTheTimeThatItTook) {
    for (const double rate : {1e6, 2.5e7, 1.25e8, 1e9}) {
        for (const std::int64_t burst : {100'000, 4'000'000}) {
            Link link;
            for (std::int64_t sent = 0; sent < 100'000'000; sent += burst) {
                link.carry(burst, rate);
            }
            EXPECT_NEAR(link.found.bytes_a_second(), rate, 0.2 * rate) << burst;
        }
    }
}

TEST(LinkRate, IsThatOfAllConnectionsTogether) {
    Link link;
    link.carry_times(200, 250'000, 1.25e8, 8);
    EXPECT_NEAR(link.found.bytes_a_second(), 1.25e8, 0.2 * 1.25e8);
}

TEST(LinkRate, IsNotFarOffWhereConnectionsTakeTurns) {
    Link link;
    for (int i = 0; i < 200; ++i) {
        link.carry_in_turn(250'000, 1.25e8);
    }
    EXPECT_GT(link.found.bytes_a_second(), 1.2e8);
    EXPECT_LT(link.found.bytes_a_second(), 3e8);
}

TEST(LinkRate, IsNoSlowerForPauses) {
    Link link;
    for (int i = 0; i < 100; ++i) {
        for (int burst = 0; burst < 10; ++burst) {
            link.carry(250'000, 1.25e8, 8);
        }
        link.pause(base::Seconds(1.0));
    }
    EXPECT_NEAR(link.found.bytes_a_second(), 1.25e8, 0.2 * 1.25e8);
}

TEST(LinkRate, HasABacklogUntilWhatItWasHandedMayBeThere) {
    Link link;
    link.carry_times(100, 250'000, 1e8, 8);
    EXPECT_EQ(link.backlog(), base::Seconds(0));
    link.hand(10'000'000);
    link.hand(10'000'000);
    EXPECT_NEAR(link.backlog().count(), 0.2, 0.05);
    link.pause(base::Seconds(0.1));
    EXPECT_NEAR(link.backlog().count(), 0.1, 0.05);
    link.pause(base::Seconds(1.0));
    EXPECT_EQ(link.backlog(), base::Seconds(0));
}

TEST(LinkRate, IsHighWhereNoTimeIsSeenToPass) {
    Link link;
    link.carry_times(100, 4'000'000, 1e10);
    EXPECT_GE(link.found.bytes_a_second(), 2e9);
}

TEST(LinkRate, IsANumberWhereTheClockStandsStill) {
    LinkRate found;
    for (int i = 1; i <= 10; ++i) {
        found.look(0, i * std::int64_t{10'000'000}, base::Seconds(0), base::Clock::time_point());
    }
    EXPECT_NEAR(found.bytes_a_second(), 5e9, 1e9);
}

TEST(LinkRate, IsThoughtToBeHighUntilSomethingIsKnown) {
    Link link;
    link.carry(1'000'000, 1e8);
    EXPECT_EQ(link.found.bytes_a_second(), 1e10);
    link.carry(2'000'000, 1e8);
    EXPECT_NEAR(link.found.bytes_a_second(), 1e8, 2e7);
}

TEST(LinkRate, IsNotNoughtForAMomentInWhichNothingIsCarried) {
    Link link;
    link.stall(base::Seconds(40e-3));
    EXPECT_EQ(link.found.bytes_a_second(), 1e10) << "nothing is known";
    link.carry_times(50, 4'000'000, 1e9);
    link.stall(base::Seconds(40e-3));
    EXPECT_GT(link.found.bytes_a_second(), 2e8);
    link.carry_times(50, 4'000'000, 1e9);
    EXPECT_NEAR(link.found.bytes_a_second(), 1e9, 2e8);
}

TEST(LinkRate, FollowsALinkThatBecomesSlower) {
    Link link;
    link.carry_times(50, 4'000'000, 1e9);
    link.carry_times(50, 4'000'000, 1e8);
    EXPECT_NEAR(link.found.bytes_a_second(), 1e8, 1e7);
}

TEST(LinkRate, IsSoonKnownAgainAfterAReaderWasStopped) {
    Link link;
    link.carry_times(50, 4'000'000, 1e9);
    link.stall(base::Seconds(600.0));
    link.carry(4'000'000, 1e9);
    link.hand(4'000'000);
    EXPECT_LT(link.backlog().count(), 0.2);
    link.carry_times(24, 4'000'000, 1e9);
    EXPECT_NEAR(link.found.bytes_a_second(), 1e9, 2e8);
}

TEST(LinkRate, CountsForWhatItWasHandedBefore) {
    Link link;
    link.carry_times(50, 4'000'000, 1e8);
    link.hand(400'000'000);
    const base::Seconds before = link.backlog();
    EXPECT_NEAR(before.count(), 4.0, 1.0);
    link.carry_times(50, 4'000'000, 1e9);
    EXPECT_LT(link.backlog().count(), 0.5);
}

}  // namespace
}  // namespace staithe::store::remote
