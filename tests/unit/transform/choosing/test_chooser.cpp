#include "transform/choosing/chooser.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "transform/codec.hpp"

namespace staithe::transform {
namespace {

constexpr std::int64_t unit = 4 << 20;

/// How a codec does: seconds for a byte of data, and coded bytes over those that a sample promises.
struct Truth {
    double seconds = 0.0;
    double factor = 1.0;
};
using Truths = std::map<std::string, Truth>;

const Truths quick_codecs{{"dq", {0.4e-9, 1.0}}, {"dq dense", {1.2e-9, 0.7}}};
const std::vector<std::string> lossy_ways{"", "dq", "dq dense"};

std::string name_of(const Way& way) { return way.codec + (way.mode == codecs::Mode::dense ? " dense" : ""); }

/// Seconds of each stage for all that went.
struct Sums {
    double encode = 0.0;
    double link = 0.0;
    double decode = 0.0;
    std::map<std::string, int> counts{};

    [[nodiscard]] double time() const { return std::max({encode, link, decode}); }

    void add(const std::string& name, const Truths& truths, double share, const Pace& pace, double units = 1.0) {
        const double bytes = units * unit;
        if (name.empty()) {
            link += bytes / pace.link;
            return;
        }
        const Truth& truth = truths.at(name);
        encode += bytes * truth.seconds;
        link += bytes * std::min(share * truth.factor, 1.0) / pace.link;
        decode += bytes * pace.decode;
    }
};

using Shares = std::function<double(int)>;

Shares always(double share) {
    return [share](int) { return share; };
}

/// What so many units take as they are chosen for.
Sums run(Chooser& chooser, const Truths& truths, const Pace& pace, const Shares& share, int units) {
    Sums sums;
    for (int i = 0; i < units; ++i) {
        const Region region{unit, share(i)};
        const std::size_t chosen = chooser.choose(region, pace);
        const std::string name = name_of(chooser.way(chosen));
        Sums one;
        one.add(name, truths, region.share, pace);
        sums.add(name, truths, region.share, pace);
        ++sums.counts[name];
        chooser.learn(chosen, region, std::llround(one.link * pace.link), base::Seconds(one.encode));
    }
    return sums;
}

/// What so many units that are alike take at least, whichever of them go which way.
double least_time(const std::vector<std::string>& ways, const Truths& truths, const Pace& pace, double share,
                  int units) {
    double least = 1e300;
    for (int first = 0; first <= 100; ++first) {
        for (int second = 0; second <= 100 - first; ++second) {
            Sums sums;
            const int counts[] = {first, second, 100 - first - second};
            for (std::size_t i = 0; i < ways.size(); ++i) {
                sums.add(ways[i], truths, share, pace, counts[i] / 100.0 * units);
            }
            least = std::min(least, sums.time());
        }
    }
    return least;
}

Chooser lossy() { return Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3)).value(); }

TEST(Chooser, IsSoonestDoneWhateverTheLink) {
    for (const double share : {0.02, 0.1, 0.5, 0.9}) {
        for (const double link : {1e7, 1.25e8, 1.25e9, 5e9, 1e11}) {
            Chooser chooser = lossy();
            const Pace pace{.link = link};
            const double time = run(chooser, quick_codecs, pace, always(share), 2000).time();
            EXPECT_LE(time, 1.25 * least_time(lossy_ways, quick_codecs, pace, share, 2000)) << share << ' ' << link;
            const double of_one_way =
                2000 * unit *
                std::min({1.0 / link, std::max(0.4e-9, share / link), std::max(1.2e-9, 0.7 * share / link)});
            EXPECT_LE(time, 1.12 * of_one_way) << share << ' ' << link;
        }
    }
}

TEST(Chooser, CodesSomeWhereNeitherTheProcessorNorTheLinkKeepsUpAlone) {
    Chooser chooser = lossy();
    const Truths truths{{"dq", {0.8e-9, 0.2}}, {"dq dense", {8e-9, 0.1}}};
    const Sums sums = run(chooser, truths, {.link = 1e9}, always(1.0), 2000);
    EXPECT_LE(sums.time(), 0.55e-9 * 2000 * unit);  // all coded: 0.8, none: 1
}

TEST(Chooser, ChoosesForEachRegion) {
    Chooser chooser = lossy();
    const auto quiet_or_not = [](int i) { return i % 3 == 0 ? 0.01 : 1.0; };
    const Truths truths{{"dq", {0.4e-9, 1.0}}, {"dq dense", {1.2e-9, 1.0}}};
    const Sums sums = run(chooser, truths, {.link = 1.25e8}, quiet_or_not, 3000);
    EXPECT_NEAR(sums.counts.at(""), 2000, 100);
    EXPECT_LE(sums.time(), 1.02 * (2000 + 10) * unit / 1.25e8);
}

TEST(Chooser, TriesVariantsAndTakesThoseThatAreSooner) {
    if (!find_codec("zfp")) {
        GTEST_SKIP() << "zfp is not here";
    }
    const std::vector<std::string> variants{"gone", "dq", "shuffle+lz4", "zfp"};
    const auto all = [&] {
        return Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3), "", variants).value();
    };
    ASSERT_EQ(all().ways().size(), 4U) << "as it is, dq twice, and the one that suits";
    const Truths good{{"dq", {0.4e-9, 1.0}}, {"dq dense", {1.2e-9, 0.7}}, {"zfp", {0.4e-9, 0.2}}};
    Chooser chooser = all();
    EXPECT_GE(run(chooser, good, {.link = 1.25e8}, always(0.5), 2000).counts["zfp"], 1500);
    const Truths bad{{"dq", {0.4e-9, 1.0}}, {"dq dense", {1.2e-9, 0.7}}, {"zfp", {40e-9, 1.2}}};
    chooser = all();
    const auto tried = run(chooser, bad, {.link = 1.25e8}, always(0.5), 2000).counts["zfp"];
    EXPECT_GT(tried, 0);
    EXPECT_LT(tried, 20);
    EXPECT_EQ(Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3), "dq", variants).value().ways().size(), 1U);
    EXPECT_EQ(Chooser::for_values(Dtype::i32, {}, "", variants).value().ways().size(), 4U) << "dq is exact, too";
}

TEST(Chooser, SendsAsItIsWhatCodecsMakeNoSmaller) {
    Chooser chooser = lossy();
    const Truths truths{{"dq", {0.4e-9, 1.0}}, {"dq dense", {1.2e-9, 1.0}}};
    // Such a try takes a twentieth of what sending takes: a twentieth of the units are a four-hundredth of the time.
    EXPECT_GE(run(chooser, truths, {.link = 1.25e8}, always(1.0), 1000).counts[""], 900);
}

TEST(Chooser, TakesIntoAccountWhoDecodes) {
    Chooser chooser = lossy();
    const Pace pace{.link = 1.25e9, .decode = 4e-9};
    const double time = run(chooser, quick_codecs, pace, always(0.1), 1000).time();
    EXPECT_LE(time, 1.2 * least_time(lossy_ways, quick_codecs, pace, 0.1, 1000));
}

TEST(Chooser, TakesIntoAccountWhatPassingBytesOnTakes) {
    Chooser free = lossy();
    Chooser costly = lossy();
    EXPECT_LT(run(free, quick_codecs, {.link = 1e10}, always(0.1), 1000).counts["dq"], 200);
    EXPECT_GT(run(costly, quick_codecs, {.link = 1e10, .pass = 0.8e-9}, always(0.1), 1000).counts["dq"], 800);
}

TEST(Chooser, WaitsForAllThatTheLastOneTakes) {
    const Truths truths{{"dq", {0.9e-9, 0.2}}, {"dq dense", {9e-9, 0.1}}};
    Chooser last_of_many = lossy();
    Chooser one_by_one = lossy();
    EXPECT_GT(run(last_of_many, truths, {.link = 1e9}, always(1.0), 1000).counts.at("dq"), 400);
    EXPECT_LT(run(one_by_one, truths, {.link = 1e9, .ahead = 1}, always(1.0), 1000).counts["dq"], 50);
}

TEST(Chooser, FollowsAProcessorThatGetsBusyWithinAFewUnits) {
    Chooser chooser = lossy();
    const Pace pace{.link = 1.25e9};
    run(chooser, quick_codecs, pace, always(0.1), 1000);
    const Truths busy{{"dq", {4e-9, 1.0}}, {"dq dense", {12e-9, 0.7}}};
    const double time = run(chooser, busy, pace, always(0.1), 100).time();
    EXPECT_LE(time, 1.2 * least_time(lossy_ways, busy, pace, 0.1, 100));
}

TEST(Chooser, TellsWhatOthersTakeOfTheCoreFromWhatAWayTakes) {
    Chooser chooser = lossy();
    const Region region{unit, 0.1};
    const base::Seconds at_work(0.4e-9 * unit);
    constexpr Pace fast{.link = 1.25e9};
    for (int i = 0; i < 200; ++i) {
        const std::size_t chosen = chooser.choose(region, fast);
        // Of three pieces one has to share the core with others, and takes six times as long.
        const bool is_coded = !chooser.way(chosen).codec.empty();
        chooser.learn(chosen, region, is_coded ? unit / 20 : unit, is_coded ? at_work : base::Seconds(0),
                      i % 3 == 0 ? 6.0 : 1.0);
    }
    const Accuracy& of_dq = chooser.ways()[1].model.accuracy();
    ASSERT_GT(of_dq.predictions, 50);
    EXPECT_LT(of_dq.seconds_off / static_cast<double>(of_dq.predictions), 0.02);
    // What neither stage does alone both do together, and the more is left to the link the more crowded the core is.
    const auto of_raw = [&](double crowding) {
        int chosen_raw = 0;
        for (int i = 0; i < 100; ++i) {
            const std::size_t chosen = chooser.choose(region, fast);
            const bool is_coded = !chooser.way(chosen).codec.empty();
            chosen_raw += is_coded ? 0 : 1;
            chooser.learn(chosen, region, is_coded ? unit / 20 : unit, is_coded ? at_work : base::Seconds(0), crowding);
        }
        return chosen_raw;
    };
    EXPECT_LT(of_raw(1.0), 40);
    EXPECT_GT(of_raw(8.0), 70);
    EXPECT_LT(chooser.ways()[1].model.accuracy().seconds_off /
                  static_cast<double>(chooser.ways()[1].model.accuracy().predictions),
              0.02);
}

TEST(Chooser, GetsOverATryThatWasInterrupted) {
    Chooser chooser = lossy();
    const Pace pace{.link = 1.25e8};
    run(chooser, {{"dq", {4e-9, 1.0}}, {"dq dense", {1.8e-9, 0.7}}}, pace, always(0.15), 1);
    const Truths truths{{"dq", {0.7e-9, 1.0}}, {"dq dense", {1.8e-9, 0.7}}};
    const double time = run(chooser, truths, pace, always(0.15), 100).time();
    EXPECT_LE(time, 1.1 * least_time(lossy_ways, truths, pace, 0.15, 100));
}

TEST(Chooser, GetsOverFirstTriesThatFoundAllCachesCold) {
    Chooser chooser = lossy();
    const Pace cold{.link = 1.25e9, .decode = 0.9e-9};
    run(chooser, {{"dq", {1.4e-9, 1.0}}, {"dq dense", {4e-9, 0.7}}}, cold, always(0.2), 4);
    const Truths truths{{"dq", {0.3e-9, 1.0}}, {"dq dense", {0.9e-9, 0.7}}};
    const Pace warm{.link = 1.25e9, .decode = 0.25e-9};
    EXPECT_LE(run(chooser, truths, warm, always(0.2), 100).time(),
              1.1 * least_time(lossy_ways, truths, warm, 0.2, 100));
}

/// How often each way is chosen for regions that are alike; `seconds`: for a byte of the one with that number, dense or
/// not, to be encoded.
std::map<std::string, int> counts_of(int units, const Pace& pace, const std::function<double(int, bool)>& seconds) {
    Chooser chooser = lossy();
    std::map<std::string, int> counts;
    for (int i = 0; i < units; ++i) {
        const Region region{unit, 0.2};
        const std::size_t chosen = chooser.choose(region, pace);
        const bool is_dense = chooser.way(chosen).mode == codecs::Mode::dense;
        ++counts[name_of(chooser.way(chosen))];
        const std::int64_t coded = std::llround(unit * (is_dense ? 0.15 : 0.2));
        chooser.learn(chosen, region, coded, base::Seconds(unit * seconds(i, is_dense)));
    }
    return counts;
}

/// How much longer it takes than in the long run: the first find all caches cold.
double cold(int number) { return 1.0 + 1.2 * std::exp(-number / 6.0); }

TEST(Chooser, TakesNoOtherWayForQuickerSinceTheFirstTriesOfThisOneWereSlow) {
    const Pace pace{.link = 4.5e8, .decode = 0.55e-9, .pass = 0.55e-9, .ahead = 2};
    constexpr int runs = 100, units = 300;
    int fast = 0;
    for (unsigned seed = 0; seed < runs; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> noise(0.0, 0.15);
        std::uniform_real_distribution<double> any(0.0, 1.0);
        const auto seconds = [&](int number, bool is_dense) {
            const double interrupted = any(random) < 0.02 ? 3.0 : 1.0;
            return (is_dense ? 1.05e-9 : 0.8e-9) * cold(number) * interrupted * std::exp(noise(random));
        };
        fast += counts_of(units, pace, seconds)["dq"];
    }
    EXPECT_GT(fast, runs * units * 4 / 5);
}

TEST(Chooser, ComesBackToAWayThatWasLeftWhileAllWasSlow) {
    const Pace pace{.link = 7e8, .decode = 0.55e-9, .pass = 0.55e-9, .ahead = 2};
    constexpr int runs = 100, units = 600;
    int dense = 0;
    for (unsigned seed = 0; seed < runs; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> noise(0.0, 0.12);
        std::uniform_real_distribution<double> any(0.0, 1.0);
        bool is_slow = false;
        int dense_in_a_row = 0;
        const auto seconds = [&](int number, bool is_dense) {
            is_slow = any(random) < (is_slow ? 0.05 : 0.02) ? !is_slow : is_slow;
            // What was not done lately finds caches cold, too.
            dense_in_a_row = is_dense ? dense_in_a_row + 1 : 0;
            const double slower = (is_slow ? 1.5 : 1.0) * (is_dense && dense_in_a_row < 4 ? 1.3 : 1.0);
            return (is_dense ? 0.7e-9 : 0.6e-9) * cold(number) * slower * std::exp(noise(random));
        };
        dense += counts_of(units, pace, seconds)["dq dense"];
    }
    EXPECT_LT(dense, runs * units / 50);
}

TEST(Chooser, HopesForNoMoreThanAnEarlierRunHasSeen) {
    const Truths slow{{"dq", {4e-9, 1.0}}, {"dq dense", {12e-9, 0.7}}};
    const Pace pace{.link = 1.25e9};
    Chooser first = lossy();
    EXPECT_GE(run(first, slow, pace, always(0.1), 100).counts["dq"], 16) << "until it is known";
    Chooser next = lossy();
    next.recall(first.saved());
    EXPECT_LE(run(next, slow, pace, always(0.1), 10).counts["dq"], 2);
}

TEST(Chooser, ComesBackToAWayThatIsQuickAgain) {
    Chooser chooser = lossy();
    const Pace pace{.link = 1.25e8};
    run(chooser, quick_codecs, pace, always(0.1), 500);
    run(chooser, {{"dq", {12e-9, 1.0}}, {"dq dense", {36e-9, 0.7}}}, pace, always(0.1), 500);
    run(chooser, quick_codecs, pace, always(0.1), 500);
    EXPECT_LE(run(chooser, quick_codecs, pace, always(0.1), 500).time(),
              1.2 * least_time(lossy_ways, quick_codecs, pace, 0.1, 500));
}

TEST(Chooser, ComesBackToACodecThatHasBecomeWorthIt) {
    Chooser chooser = lossy();
    const Pace pace{.link = 1.25e8};
    run(chooser, quick_codecs, pace, always(1.0), 100);
    const Sums after = run(chooser, quick_codecs, pace, always(0.1), 200);
    EXPECT_LE(after.time(), 1.05 * least_time(lossy_ways, quick_codecs, pace, 0.1, 200));
}

TEST(Chooser, SpendsLittleOfTheTimeOnTries) {
    for (const double link : {1e7, 1.25e8, 1.25e9, 1e10}) {
        Chooser chooser = lossy();
        const Truths truths{{"dq", {0.4e-9, 1.0}}, {"dq dense", {12e-9, 1.0}}};
        const Pace pace{.link = link};
        const double time = run(chooser, truths, pace, always(0.1), 10'000).time();
        EXPECT_LE(time, 1.015 * 10'000 * unit * std::min({1.0 / link, std::max(0.4e-9, 0.1 / link)})) << link;
    }
}

TEST(Chooser, TriesWaysThatAreNearlyAlikeNoMoreOftenThanOthers) {
    Chooser chooser = lossy();
    const Truths truths{{"dq", {1e-9, 1.0}}, {"dq dense", {1.03e-9, 0.99}}};
    const Pace pace{.link = 1.25e9};
    run(chooser, truths, pace, always(0.1), 1000);
    Sums sums = run(chooser, truths, pace, always(0.1), 10'000);
    EXPECT_GE(sums.counts["dq dense"], 10'000 / 1000) << "it might have become quicker";
    EXPECT_LE(sums.counts["dq dense"], 10'000 / 100);
}

TEST(Chooser, TakesItsTimeForTheLastRegionWhileTheLinkHasOthers) {
    Chooser chooser = lossy();
    run(chooser, quick_codecs, {.link = 1.25e8}, always(0.2), 100);
    const auto chosen = [&](const Pace& pace) { return name_of(chooser.way(chooser.choose({unit, 0.2}, pace))); };
    EXPECT_EQ(chosen({.link = 1.25e8, .ahead = 1}), "dq");
    EXPECT_EQ(chosen({.link = 1.25e8, .ahead = 1, .backlog = 0.1}), "dq dense");
}

TEST(Chooser, LooksAtRegionsOnlyWhereThatCouldDecide) {
    EXPECT_FALSE(lossy().depends_on_region({.link = 1e10}));
    EXPECT_TRUE(lossy().depends_on_region({.link = 1e9}));
    EXPECT_FALSE(Chooser::for_values(Dtype::f32, {}, "dq").value().depends_on_region({.link = 1e6}));
}

TEST(Chooser, TellsHowNearItsPredictionsAre) {
    Chooser chooser = lossy();
    std::mt19937 random(5);
    std::normal_distribution<double> noise(0.0, 0.03);
    std::uniform_real_distribution<double> shares(0.01, 0.3);
    for (int i = 0; i < 4000; ++i) {
        const Region region{unit, shares(random)};
        const std::size_t chosen = chooser.choose(region, {.link = 1.25e8});
        const bool is_dense = chooser.way(chosen).mode == codecs::Mode::dense;
        const double seconds = unit * (is_dense ? 1.2e-9 : 0.4e-9) * (0.8 + region.share) * std::exp(noise(random));
        const double coded = region.share * (is_dense ? 0.7 : 1.0) * std::exp(noise(random));
        chooser.learn(chosen, region, std::llround(unit * coded), base::Seconds(seconds));
    }
    const Accuracy& of_dq = chooser.ways()[1].model.accuracy();
    const auto count = static_cast<double>(of_dq.predictions);
    ASSERT_GT(count, 500);
    EXPECT_LT(of_dq.seconds_off / count, 0.05);
    EXPECT_LT(of_dq.coded_off / count, 0.05);
    EXPECT_NEAR(static_cast<double>(of_dq.within) / count, 0.95, 0.03);
}

TEST(Chooser, HasAnIntervalThatFitsWhateverIsSeen) {
    Chooser chooser = lossy();
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0.0, 0.02);
    std::uniform_real_distribution<double> any(0.0, 1.0);
    const Region region{unit, 0.1};
    for (int i = 0; i < 4000; ++i) {
        const std::size_t chosen = chooser.choose(region, {.link = 1.25e8});
        const bool is_hindered = any(random) < 0.08;  // more often than an interval of 95 of 100 may leave out
        const double slower = (is_hindered ? 1.5 + any(random) : 1.0) * std::exp(noise(random));
        const bool is_dense = chooser.way(chosen).mode == codecs::Mode::dense;
        chooser.learn(chosen, region, unit / 20, base::Seconds(slower * unit * (is_dense ? 1.2e-9 : 0.4e-9)));
    }
    std::int64_t within = 0, predictions = 0;
    for (const Chooser::Known& known : chooser.ways()) {
        within += known.model.accuracy().within;
        predictions += known.model.accuracy().predictions;
    }
    ASSERT_GT(predictions, 3000);
    EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(predictions), 0.95, 0.01);
}

TEST(Chooser, LearnsWhatOnePlaceTakesThatASampleOfItDoesNotShow) {
    Chooser chooser = lossy();
    std::vector<Region> places(8, {unit, 0.1});
    std::vector<base::Seconds> expected(places.size());
    for (int step = 0; step < 40; ++step) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t chosen = chooser.choose(places[i], {.link = 1.25e8});
            const double slower = i == 3 ? 3.0 : 1.0;
            if (chooser.way(chosen) == Way{"dq"}) {
                expected[i] = chooser.expected(chosen, places[i]);
                places[i].lately = chooser.learn(chosen, places[i], unit / 20, base::Seconds(slower * 0.4e-9 * unit));
            }
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_NEAR(expected[i].count() / (0.4e-9 * unit), i == 3 ? 3.0 : 1.0, 0.05) << i;
    }
}

TEST(Chooser, CodesExactlyWhatHasNoBoundOrIsNoNumberThatHasOne) {
    for (const auto& [dtype, bound] :
         {std::pair(Dtype::f64, codecs::Bound::exact()), std::pair(Dtype::i32, codecs::Bound::relative(1e-3)),
          std::pair(Dtype::f64, codecs::Bound::pointwise_relative(1e-3))}) {
        const Chooser chooser = Chooser::for_values(dtype, bound).value();
        ASSERT_GT(chooser.ways().size(), 1U);
        for (const Chooser::Known& known : chooser.ways()) {
            EXPECT_NE(known.way.codec, "dq");
        }
    }
}

TEST(Chooser, TheCodecThatIsWantedIsNotTakenForABoundThatItCannotKeep) {
    const auto bound = codecs::Bound::pointwise_relative(1e-3);
    EXPECT_EQ(Chooser::for_values(Dtype::f64, bound, "dq").value().ways().size(), 3U) << "as if nobody wanted one";
    EXPECT_EQ(Chooser::for_values(Dtype::f64, bound, "shuffle+zstd").value().ways().size(), 1U);
    EXPECT_EQ(Chooser::for_values(Dtype::f64, bound, "zpf").error().code, ErrorCode::not_found);
}

TEST(Chooser, WhereNothingIsSaidACodecHasToSaveAFifth) {
    for (const auto& [share, is_coded] : {std::pair(0.9, false), std::pair(0.7, true)}) {
        Chooser chooser = Chooser::for_values(Dtype::f32, {}).value();
        const Truths truths{{"shuffle+lz4", {0.4e-9, 1.0}}, {"shuffle+zstd", {3e-9, 1.0}}};
        EXPECT_EQ(run(chooser, truths, {.link = 1.25e8}, always(share), 1000).counts["shuffle+lz4"] > 500, is_coded)
            << share;
    }
}

TEST(Chooser, TakesTheCodecThatIsWanted) {
    Chooser chooser = Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3), "dq").value();
    const Sums sums = run(chooser, {{"dq", {1.0, 1.0}}}, {.link = 1e10}, always(1.0), 100);
    EXPECT_EQ(sums.counts, (std::map<std::string, int>{{"dq", 100}}));
    EXPECT_EQ(Chooser::for_values(Dtype::f32, {}, "zpf").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace staithe::transform
