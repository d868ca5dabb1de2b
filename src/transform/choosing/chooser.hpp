// Which way of coding has data at its target soonest, region by region.
//
// Encoding, sending and decoding go on at the same time, so what counts is the slowest of the three, and that of all
// regions together: some may be coded while others go as they are, where neither the processor nor the link would keep
// up alone. So each region goes the way that adds the least to the three sums of the last ones, of which the largest
// counts the most; but of the last that was asked for nothing goes on beside it, and all that it takes is waited for,
// but for what is encoded while the link still has others. What a way costs its model tells (WayModel), in time of a
// processor, and two factors for all of them: by how much that is slower of late than it was, and how much longer all
// lasts since other threads have it, too. So a choice moves, too, that is not tried; what stays as it is ends up in the
// models. First tries, which find all caches cold, say nothing of other ways: these would look quicker than they are.
// Other devices have each way once more, with models of their own, in which the way to the device and back counts, and
// factors of their own: what slows this processor slows no other. Whoever has something encoded waits for it, wherever
// it is: in the sums it is one stage. What is not chosen is tried again now and then: soon after another way has taken
// the lead, since that may have looked quicker only for being tried when all was quick, then ever more seldom. A try
// costs what it takes more than the best way; all of them take no more than a four-hundredth of the time, or a
// hundredth where a way or who leads is new. Where nobody has said that values may be off, a codec has to save a fifth
// of the time: its work is not asked for. Knows neither clocks nor sockets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <staithe/transform.hpp>
#include <staithe/value.hpp>

#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "transform/choosing/recent_factor.hpp"
#include "transform/choosing/region.hpp"
#include "transform/choosing/way_model.hpp"
#include "transform/device.hpp"

namespace staithe::transform {

/// How data goes; without a codec: as it is.
struct Way {
    std::string codec{};
    codecs::Mode mode = codecs::Mode::fast;
    std::string device{};  // that encodes; empty: the cores of this process
    bool operator==(const Way&) const = default;
};

/// Such as "dq", "dq, dense", "dq on remote" or "as it is".
[[nodiscard]] std::string to_string(const Way& way);

/// What bounds the ways, besides encoding.
struct Pace {
    double link = 1e9;    // bytes a second
    double decode = 0.0;  // seconds for a byte of data, at the other end; 0: not known
    double pass = 0.0;    // seconds that a processor takes at either end to pass a byte on to the link, or take it
    std::int64_t ahead = 1000;  // regions that are asked for and not on their way yet, with this one
    double backlog = 0.0;       // seconds that the link still takes for those that are on their way
};

class Chooser {
  public:
    /// What payloads say of themselves.
    struct Kept {
        double bound = 0.0;  // absolute: the largest one
        std::int64_t tiles = 0;
        std::int64_t raw_tiles = 0;       // stored as they were
        std::int64_t fallback_tiles = 0;  // by dq, since the codec could not keep the bound, or makes nothing exact
    };
    /// What is known of a way, and what went it.
    struct Known {
        Way way;
        WayModel model;
        std::int64_t tries = 0;
        std::int64_t bytes = 0;         // of data that went this way
        std::int64_t reused = 0;        // of these, what had been encoded for another target,
        std::int64_t reused_coded = 0;  // and the bytes of `coded` that this took
        std::int64_t coded = 0;         // that these took
        base::Seconds took{};           // to encode them, at work
        base::Seconds expected{};       // before they were
        double expected_coded = 0.0;
        std::int64_t chosen_at = 0;  // the choice at which it was chosen last
        bool is_variant = false;     // of which nobody knows what to expect
        bool is_there = true;        // its device is
        std::int64_t failures = 0;   // of its device, or here
        Kept kept{};
    };

    /// Of values of that dtype under that bound; with a codec's name that one alone, if it keeps such a bound at all:
    /// `not_found` if it is not there. `variants` are other codecs that the target knows: those that are here, too, and
    /// suit, are tried as well.
    static base::Result<Chooser> for_values(Dtype dtype, const codecs::Bound& bound, const std::string& wanted = "",
                                            std::span<const std::string> variants = {});

    /// From now on these, besides the cores of this process, have the ways that suit them; others are not chosen, nor
    /// is what has failed on the cores of this process.
    void set_devices(std::span<const std::shared_ptr<Device>> devices);

    /// Whether it depends on what the region is like.
    [[nodiscard]] bool depends_on_region(const Pace& pace) const;
    /// For the next region.
    [[nodiscard]] std::size_t choose(const Region& region, const Pace& pace);
    [[nodiscard]] const Way& way(std::size_t chosen) const { return ways_[chosen].way; }
    /// Whether a choice was one of this: all may have been begun anew since.
    [[nodiscard]] bool has_chosen(std::size_t chosen, const Way& way) const {
        return chosen < ways_.size() && ways_[chosen].way == way;
    }
    /// Processor time that encoding will take, or time on another device.
    [[nodiscard]] base::Seconds expected(std::size_t chosen, const Region& region) const;
    /// What came of it, and what that says of the next one there. Whatever is not coded took no time and all its bytes.
    /// `took`: processor time, or time on another device. With what others had of the processor meanwhile, and several
    /// threads at once, it lasted `crowding` times as long.
    Region::Lately learn(std::size_t chosen, const Region& region, std::int64_t coded, base::Seconds took,
                         double crowding = 1.0);
    /// Nothing came of it, but the time that it took: the way is taken to cost that as well, for a while.
    void fail(std::size_t chosen, const Region& region, base::Seconds lost);
    /// Whether data goes as another target got it: not where that way is none of these, or as it is it is sooner there.
    [[nodiscard]] bool reuse(const Way& way, std::int64_t bytes, std::int64_t coded, const Pace& pace);

    /// That payload went, by a way of that codec and mode.
    void went(const Way& way, const codecs::PayloadInfo& payload);

    [[nodiscard]] std::span<const Known> ways() const { return ways_; }

    /// What was learnt of the ways, by their names: see WayModel.
    [[nodiscard]] Attributes saved() const;
    void recall(const Attributes& saved);

  private:
    /// Seconds that encoding, the link and decoding are at work.
    using Costs = std::array<double, 3>;

    /// By what factor all that a device does takes longer.
    struct Hindrance {
        RecentFactor slowdown;  // at work, than the models know: what is predicted
        double crowding = 1.0;  // until it is there, than at work: what counts besides where ways are compared
    };

    /// For tries, which take more than the best way would.
    struct Budget {
        double share;        // of the time that all takes
        double taken = 0.0;  // seconds
    };

    Chooser(std::vector<Known> ways, double least_gain) : ways_(std::move(ways)), least_gain_(least_gain) {}
    void add_ways_of(const Device& device);
    /// Whatever its device is.
    std::vector<Known>::iterator known_by(const Way& way);
    [[nodiscard]] Hindrance hindrance_of(const Known& known) const;
    [[nodiscard]] Prediction prediction(std::size_t chosen, const Region& region) const;
    [[nodiscard]] Costs costs(const Known& known, const Region& region, const Pace& pace) const;
    /// Seconds that it adds to what the last regions took.
    [[nodiscard]] double added(const Costs& costs, const Pace& pace) const;
    void remember(const Costs& now);
    void follow_leader(std::size_t best);
    [[nodiscard]] bool is_due(std::size_t i) const;
    [[nodiscard]] std::size_t next_to_try(std::size_t best, base::FunctionRef<bool(std::size_t)> is_affordable) const;
    Budget& budget_of(std::size_t i);

    std::vector<Known> ways_;
    std::vector<Known> codings_;  // as they are on any device, before anything is known of them
    Dtype dtype_ = Dtype::u8;
    bool is_lossy_ = false;
    Attributes recalled_;  // for ways that are still to come
    double least_gain_;    // by which a codec has to be sooner done, as a factor
    std::int64_t choices_ = 0;
    std::size_t leader_ = 0;                       // the last coding that was the best for several regions in a row,
    std::int64_t leads_since_ = 0;                 // and the choice since which no other was
    std::size_t last_best_ = 0;                    // of the codings,
    int in_a_row_ = 0;                             // and for how many regions it was so
    Costs recent_{};                               // of the last regions, the older the less
    std::map<std::string, Hindrance> hindrances_;  // by devices
    double spent_ = 0.0;                           // seconds, as expected
    Budget for_unsure_{0.0075};                    // where a way or who leads is new
    Budget for_known_{0.0025};                     // all other tries: neither takes what is the others'
};

}  // namespace staithe::transform
