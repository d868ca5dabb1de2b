#include "transform/choosing.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace staithe::transform {
namespace {

constexpr std::int64_t unit = 4 << 20;

/// How a codec does: seconds and bytes of code for a byte of data.
struct Truth {
    double seconds = 0.0;
    double ratio = 1.0;
};
using Truths = std::map<std::string, Truth>;

std::string name_of(const Way& way) { return way.codec + (way.mode == codecs::Mode::dense ? " dense" : ""); }

/// How often each way was chosen of so many units, when all behave like that.
std::map<std::string, int> choices(Chooser& chooser, const Truths& truths, const Pace& pace, int units) {
    std::map<std::string, int> counts;
    for (int i = 0; i < units; ++i) {
        const std::size_t chosen = chooser.choose(unit, pace);
        const std::string name = name_of(chooser.way(chosen));
        const Truth truth = truths.contains(name) ? truths.at(name) : Truth{};
        chooser.learn(chosen, unit, static_cast<std::int64_t>(unit * truth.ratio), base::Seconds(unit * truth.seconds));
        ++counts[name];
    }
    return counts;
}

Chooser lossy() { return Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3)).value(); }

TEST(Chooser, TakesWhatIsThereSoonest) {
    const Truths truths{{"dq", {0.4e-9, 0.1}}, {"dq dense", {1.2e-9, 0.07}}};
    const std::map<double, std::string> expected{{1e7, "dq dense"}, {1.25e8, "dq"}, {1.25e9, "dq"}, {1e10, ""}};
    for (const auto& [link, name] : expected) {
        Chooser chooser = lossy();
        EXPECT_GE(choices(chooser, truths, {.link = link}, 1000)[name], 950) << link;
    }
}

TEST(Chooser, SendsAsItIsWhatCodecsMakeNoSmaller) {
    Chooser chooser = lossy();
    const Truths truths{{"dq", {0.4e-9, 1.0}}, {"dq dense", {1.2e-9, 1.0}}};
    // Such a try takes a twentieth of what sending takes: a fifth of the units are a hundredth of the time.
    EXPECT_GE(choices(chooser, truths, {.link = 1.25e8}, 1000)[""], 750);
}

TEST(Chooser, TakesIntoAccountWhoDecodes) {
    Chooser chooser = lossy();
    const Truths truths{{"dq", {0.4e-9, 0.1}}, {"dq dense", {1.2e-9, 0.07}}};
    EXPECT_GE(choices(chooser, truths, {.link = 1.25e9, .decode = 2e-9}, 1000)[""], 990);
}

TEST(Chooser, FollowsAProcessorThatGetsBusyWithinAFewUnits) {
    Chooser chooser = lossy();
    choices(chooser, {{"dq", {0.4e-9, 0.1}}, {"dq dense", {1.2e-9, 0.07}}}, {.link = 1.25e9}, 1000);
    const auto after = choices(chooser, {{"dq", {4e-9, 0.1}}, {"dq dense", {12e-9, 0.07}}}, {.link = 1.25e9}, 100);
    EXPECT_GE(after.at(""), 94);
}

TEST(Chooser, ComesBackToACodecThatHasBecomeWorthIt) {
    Chooser chooser = lossy();
    choices(chooser, {{"dq", {0.4e-9, 1.0}}, {"dq dense", {1.2e-9, 1.0}}}, {.link = 1.25e8}, 100);
    const auto after = choices(chooser, {{"dq", {0.4e-9, 0.1}}, {"dq dense", {1.2e-9, 0.07}}}, {.link = 1.25e8}, 2000);
    EXPECT_GE(after.at("dq") + after.at("dq dense"), 1500);
}

TEST(Chooser, SpendsAHundredthOfTheTimeOnTries) {
    for (const double link : {1e7, 1.25e8, 1.25e9, 1e10}) {
        Chooser chooser = lossy();
        const Truths truths{{"dq", {0.4e-9, 0.1}}, {"dq dense", {1.2e-9, 0.07}}};
        const auto time = [&](const std::string& name) {
            const Truth truth = truths.contains(name) ? truths.at(name) : Truth{};
            return std::max(truth.seconds, truth.ratio / link);
        };
        double spent = 0.0;
        for (const auto& [name, count] : choices(chooser, truths, {.link = link}, 10'000)) {
            spent += count * time(name);
        }
        const double best = 10'000 * std::min({time(""), time("dq"), time("dq dense")});
        EXPECT_LE(spent, 1.02 * best) << link;
    }
}

TEST(Chooser, CodesExactlyWhatHasNoBoundOrIsNoNumberThatHasOne) {
    for (const auto& [dtype, bound] :
         {std::pair(Dtype::f64, codecs::Bound::exact()), std::pair(Dtype::i32, codecs::Bound::relative(1e-3)),
          std::pair(Dtype::f64, codecs::Bound::pointwise_relative(1e-3))}) {
        const Chooser chooser = Chooser::for_values(dtype, bound).value();
        ASSERT_GT(chooser.estimates().size(), 1U);
        for (const Chooser::Estimate& estimate : chooser.estimates()) {
            EXPECT_NE(estimate.way.codec, "dq");
        }
    }
}

TEST(Chooser, WhereNothingIsSaidACodecHasToSaveAFifth) {
    for (const auto& [ratio, is_coded] : {std::pair(0.9, false), std::pair(0.7, true)}) {
        Chooser chooser = Chooser::for_values(Dtype::f32, {}).value();
        const Truths truths{{"shuffle+lz4", {0.4e-9, ratio}}, {"shuffle+zstd", {3e-9, ratio}}};
        EXPECT_EQ(choices(chooser, truths, {.link = 1.25e8}, 1000)["shuffle+lz4"] > 500, is_coded) << ratio;
    }
}

TEST(Chooser, TakesTheCodecThatIsWanted) {
    Chooser chooser = Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3), "dq").value();
    const auto chosen = choices(chooser, {{"dq", {1.0, 1.0}}}, {.link = 1e10}, 100);
    EXPECT_EQ(chosen, (std::map<std::string, int>{{"dq", 100}}));
    EXPECT_EQ(Chooser::for_values(Dtype::f32, {}, "zpf").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace staithe::transform
