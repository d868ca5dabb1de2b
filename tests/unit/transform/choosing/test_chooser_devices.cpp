// What other devices do to a choice.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "transform/choosing/chooser.hpp"

namespace staithe::transform {
namespace {

constexpr std::int64_t piece_bytes = 4 << 20;

/// Of a name alone, with some codecs.
class Named final : public Device {
  public:
    Named(std::string name, std::vector<std::string> codecs) : name_(std::move(name)), codecs_(std::move(codecs)) {}
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] bool is_there() const override { return true; }
    [[nodiscard]] bool suits(const Task& task) const override {
        return std::ranges::find(codecs_, task.codec) != codecs_.end();
    }
    base::Result<std::vector<std::byte>> encode(const ArrayView&, const codecs::EncodeOptions&,
                                                base::Seconds) override {
        return base::fail(ErrorCode::peer_lost, "there is nobody");
    }

  private:
    std::string name_;
    std::vector<std::string> codecs_;
};

using DeviceList = std::vector<std::shared_ptr<Device>>;

DeviceList remote_with(const std::vector<std::string>& codecs = {"dq"}) {
    return {std::make_shared<Named>("remote", codecs)};
}

Chooser chooser_of(const std::string& codec = "") {
    return Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3), codec).value();
}

/// Seconds that a byte takes by each way; by others it takes forever.
using SecondsByWay = std::map<std::string, double>;

/// How often each way was chosen.
std::map<std::string, int> run_on(Chooser& chooser, const SecondsByWay& truths, int units, double link = 5e8) {
    std::map<std::string, int> counts;
    for (int i = 0; i < units; ++i) {
        const Region region{piece_bytes, 0.1};
        const std::size_t chosen = chooser.choose(region, {.link = link});
        const std::string way = to_string(chooser.way(chosen));
        ++counts[way];
        const auto truth = truths.find(way);
        const double seconds = chooser.way(chosen).codec.empty() ? 0.0
                               : truth == truths.end()           ? 1e-7 * piece_bytes
                                                                 : truth->second * piece_bytes;
        chooser.learn(chosen, region, seconds == 0.0 ? piece_bytes : piece_bytes / 10, base::Seconds(seconds));
    }
    return counts;
}

TEST(ChooserDevices, WaysOnThemHaveNamesOfTheirOwn) {
    EXPECT_EQ(to_string({"dq", codecs::Mode::dense, "remote"}), "dq, dense on remote");
    Chooser chooser = chooser_of();
    const std::size_t before = chooser.ways().size();
    for (int i = 0; i < 3; ++i) {
        chooser.set_devices(remote_with());
    }
    ASSERT_EQ(chooser.ways().size(), before + 2) << "each way once";
    EXPECT_EQ(to_string(chooser.way(before)), "dq on remote");
    EXPECT_EQ(to_string(chooser.way(before + 1)), "dq, dense on remote");
}

TEST(ChooserDevices, TakeWhatTheyHaveSooner) {
    Chooser chooser = chooser_of();
    chooser.set_devices(remote_with());
    auto counts = run_on(chooser, {{"dq", 3e-9}, {"dq on remote", 0.2e-9}}, 1000);
    EXPECT_GT(counts["dq on remote"], 900);
    Chooser other = chooser_of();
    other.set_devices(remote_with());
    counts = run_on(other, {{"dq", 0.2e-9}, {"dq on remote", 3e-9}}, 1000);
    EXPECT_GT(counts["dq"], 900);
}

TEST(ChooserDevices, AreNotSlowedByWhatSlowsTheCores) {
    Chooser chooser = chooser_of("dq");
    chooser.set_devices(remote_with());
    const SecondsByWay idle{{"dq", 0.4e-9}, {"dq on remote", 0.7e-9}};
    auto counts = run_on(chooser, idle, 500);
    EXPECT_GT(counts["dq"], 450);
    ASSERT_GT(counts["dq on remote"], 0) << "what nobody knows anything of is tried";
    const std::size_t far = 1;
    counts = run_on(chooser, {{"dq", 4e-9}, {"dq on remote", 0.7e-9}}, 100);
    EXPECT_GT(counts["dq on remote"], 90);
    EXPECT_NEAR(chooser.expected(far, {piece_bytes, 0.1}).count(), 0.7e-9 * piece_bytes, 0.07e-9 * piece_bytes);
}

TEST(ChooserDevices, AreNotChosenWhileTheyAreAway) {
    Chooser chooser = chooser_of();
    const SecondsByWay truths{{"dq", 3e-9}, {"dq on remote", 0.2e-9}};
    chooser.set_devices(remote_with());
    run_on(chooser, truths, 100);
    chooser.set_devices({});
    EXPECT_EQ(run_on(chooser, truths, 500)["dq on remote"], 0);
    chooser.set_devices(remote_with());
    EXPECT_GT(run_on(chooser, truths, 100)["dq on remote"], 90) << "what was learnt is still known";
}

TEST(ChooserDevices, DoWhatSuitsThemAlone) {
    const std::vector<std::string> variants{"theirs"};
    Chooser chooser = Chooser::for_values(Dtype::f32, codecs::Bound::relative(1e-3), "", variants).value();
    const std::size_t before = chooser.ways().size();
    chooser.set_devices(remote_with({"theirs", "never asked for"}));
    ASSERT_EQ(chooser.ways().size(), before + 1) << "what this process does not have";
    EXPECT_EQ(to_string(chooser.way(before)), "theirs on remote");
    EXPECT_GT(run_on(chooser, {{"dq", 3e-9}, {"theirs on remote", 0.2e-9}}, 1000)["theirs on remote"], 900);
}

TEST(ChooserDevices, WhatWasLearntOfThemIsRecalledOnceTheyAreThere) {
    Chooser first = chooser_of("dq");
    first.set_devices(remote_with());
    run_on(first, {{"dq", 3e-9}, {"dq on remote", 0.2e-9}}, 100);
    const Attributes saved = first.saved();
    EXPECT_TRUE(saved.contains("dq") && saved.contains("dq on remote"));
    Chooser next = chooser_of("dq");
    next.recall(saved);
    next.set_devices(remote_with());
    EXPECT_EQ(to_string(next.way(next.choose({piece_bytes, 0.1}, {}))), "dq on remote");
    EXPECT_NEAR(next.expected(1, {piece_bytes, 0.1}).count(), 0.2e-9 * piece_bytes, 0.02e-9 * piece_bytes);
}

TEST(ChooserDevices, WhatTheyHaveEncodedIsReused) {
    Chooser chooser = chooser_of("dq");
    EXPECT_TRUE(chooser.reuse({"dq", codecs::Mode::fast, "remote"}, piece_bytes, piece_bytes / 10, {.link = 1e8}));
    EXPECT_FALSE(chooser.reuse({"dq", codecs::Mode::dense, "remote"}, piece_bytes, piece_bytes / 10, {.link = 1e8}));
}

TEST(ChooserDevices, FailuresAreCounted) {
    Chooser chooser = chooser_of("dq");
    chooser.set_devices(remote_with());
    chooser.fail(1, {piece_bytes, 0.1}, base::Seconds(0.5));
    EXPECT_EQ(chooser.ways()[1].failures, 1);
    EXPECT_EQ(chooser.ways()[1].tries, 0);
    EXPECT_EQ(chooser.ways()[1].took.count(), 0.5);
}

TEST(ChooserDevices, WhatFailedHereIsNotChosenAgain) {
    Chooser chooser = chooser_of("");
    chooser.set_devices({});
    ASSERT_EQ(chooser.way(1), Way{"dq"});
    chooser.fail(1, {piece_bytes, 0.1}, base::Seconds(0));
    for (int i = 0; i < 1000; ++i) {
        chooser.set_devices({});
        ASSERT_NE(chooser.choose({piece_bytes, 0.1}, {.link = 1e7}), 1U);
    }
}

TEST(ChooserDevices, FailuresSayNothingOfHowGoodPredictionsAre) {
    Chooser chooser = chooser_of("dq");
    chooser.set_devices(remote_with());
    const Region region{piece_bytes, 0.1};
    Region there = region;
    for (int i = 0; i < 5; ++i) {
        there.lately = chooser.learn(1, there, piece_bytes / 10, base::Seconds(1e-3 * (i + 1)));
    }
    const WayModel before = chooser.ways()[1].model;
    chooser.fail(1, there, base::Seconds(0.5));
    const WayModel& after = chooser.ways()[1].model;
    EXPECT_EQ(after.accuracy().predictions, before.accuracy().predictions);
    EXPECT_EQ(after.predict(region).coded, before.predict(region).coded);
    EXPECT_GT(after.predict(region).seconds, before.predict(region).seconds);
    Chooser elsewhere = chooser_of("dq");
    elsewhere.set_devices(remote_with());
    elsewhere.fail(1, region, base::Seconds(0.5));
    elsewhere.learn(1, region, piece_bytes / 10, base::Seconds(1e-3));
    EXPECT_EQ(elsewhere.ways()[1].model.accuracy().predictions, 0) << "a guess was none";
}

TEST(ChooserDevices, TheTimeThatFailuresTakeIsTheirs) {
    const SecondsByWay truths{{"dq", 0.7e-9}, {"dq on remote", 0.4e-9}};
    Chooser chooser = chooser_of("dq");
    chooser.set_devices(remote_with());
    EXPECT_GT(run_on(chooser, truths, 500)["dq on remote"], 300);
    const double before = chooser.expected(1, {piece_bytes, 0.1}).count();
    for (int i = 0; i < 5; ++i) {
        chooser.fail(1, {piece_bytes, 0.1}, base::Seconds(1));
    }
    EXPECT_GT(chooser.expected(1, {piece_bytes, 0.1}).count(), 2 * before);
    EXPECT_GT(run_on(chooser, truths, 500)["dq"], 490) << "nor is it tried as if those had cost nothing";
}

}  // namespace
}  // namespace staithe::transform
