#include "transform/choosing.hpp"

#include <algorithm>
#include <utility>

#include "transform/codec.hpp"
#include "transform/rounding.hpp"

namespace staithe::transform {
namespace {

/// Of the average, that the last try has.
constexpr double weight_of_last = 0.25;

constexpr double share_of_tries = 0.01;

/// Guesses are good, so that a way is tried where it could be worth it, and only there.
Chooser::Estimate guess(Way way, double bytes_a_second, double ratio) {
    Chooser::Estimate estimate;
    estimate.way = std::move(way);
    estimate.seconds = bytes_a_second > 0.0 ? 1.0 / bytes_a_second : 0.0;
    estimate.ratio = ratio;
    return estimate;
}

}  // namespace

base::Result<Chooser> Chooser::for_values(Dtype dtype, const codecs::Bound& bound, const std::string& codec) {
    if (!codec.empty()) {
        if (const auto found = find_codec(codec); !found) {
            return base::fail(found);
        }
        return Chooser({guess({codec}, 0.0, 1.0)}, 1.0);
    }
    using Kind = codecs::Bound::Kind;
    std::vector<Estimate> estimates{guess({}, 0.0, 1.0)};
    const auto add = [&](Way way, double bytes_a_second, double ratio) {
        if (find_codec(way.codec)) {
            estimates.push_back(guess(std::move(way), bytes_a_second, ratio));
        }
    };
    if (can_be_rounded(dtype) && (bound.kind == Kind::absolute || bound.kind == Kind::relative)) {
        add({"dq", codecs::Mode::fast}, 3e9, 0.1);
        add({"dq", codecs::Mode::dense}, 1e9, 0.05);
    } else {
        add({"shuffle+lz4"}, 2e9, 0.5);
        add({"shuffle+zstd"}, 0.5e9, 0.4);
    }
    return Chooser(std::move(estimates), bound.kind == Kind::exact ? 1.25 : 1.0);
}

/// For a byte of data.
double Chooser::cost(const Estimate& estimate, const Pace& pace) const {
    if (estimate.way.codec.empty()) {
        return 1.0 / pace.link;
    }
    return least_gain_ * std::max({estimate.seconds, estimate.ratio / pace.link, pace.decode});
}

std::size_t Chooser::choose(std::int64_t bytes, const Pace& pace) {
    const auto seconds = [&](std::size_t i) { return static_cast<double>(bytes) * cost(estimates_[i], pace); };
    std::size_t best = 0;
    for (std::size_t i = 1; i < estimates_.size(); ++i) {
        best = seconds(i) < seconds(best) ? i : best;
    }
    // Work that gains nothing costs its time, though the link is what all wait for.
    const auto cost_of_try = [&](std::size_t i) {
        return std::max(seconds(i) - seconds(best), static_cast<double>(bytes) * estimates_[i].seconds);
    };
    // A codec that was never tried is one of which nobody expects anything here. What goes as it is shows how fast the
    // link is.
    std::size_t chosen = best;
    for (std::size_t i = 0; i < estimates_.size(); ++i) {
        const bool is_worth_it = estimates_[i].way.codec.empty() || estimates_[i].tries > 0;
        const bool is_next = i != best && is_worth_it && (chosen == best || chosen_at_[i] < chosen_at_[chosen]);
        if (is_next && on_tries_ + cost_of_try(i) <= share_of_tries * spent_) {
            chosen = i;
        }
    }
    spent_ += seconds(chosen);
    on_tries_ += chosen == best ? 0.0 : cost_of_try(chosen);
    chosen_at_[chosen] = ++choices_;
    return chosen;
}

void Chooser::learn(std::size_t chosen, std::int64_t bytes, std::int64_t coded, base::Seconds took) {
    Estimate& estimate = estimates_[chosen];
    estimate.expected += base::Seconds(estimate.seconds * static_cast<double>(bytes));
    estimate.bytes += bytes;
    estimate.coded += coded;
    estimate.took += took;
    if (!estimate.way.codec.empty()) {
        const double weight = estimate.tries == 0 ? 1.0 : weight_of_last;
        estimate.seconds += weight * (took.count() / static_cast<double>(bytes) - estimate.seconds);
        estimate.ratio += weight * (static_cast<double>(coded) / static_cast<double>(bytes) - estimate.ratio);
    }
    ++estimate.tries;
}

}  // namespace staithe::transform
