#include "transform/choosing/chooser.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/fields.hpp"
#include "transform/codec.hpp"
#include "transform/rounding.hpp"

namespace staithe::transform {
namespace {

/// Choices between two tries of a way: as few where another has just taken the lead, as many where it has it for long.
constexpr std::int64_t shortest_pause = 16, longest_pause = 128;

/// Choices in a row of the same coding, by which that has taken the lead: others are best for some regions.
constexpr int choices_to_lead = 8;

/// Choices, after which what a way takes may have changed, though it is the best one.
constexpr std::int64_t long_ago = 64;

/// Of the sums of costs, that a region before leaves: they are those of about the last sixteen.
constexpr double remembered = 1.0 - 1.0 / 16.0;

/// The largest sum counts so much more than others that these matter where they are near to it.
constexpr double sharpness = 16.0;

/// Stages never go on beside each other as if each had a processor to itself: what they take in all counts for so much.
constexpr double least_alone = 0.25;

/// A codec that works in threads of its own seems to take next to nothing: others are not to be taken for so crowded.
constexpr double most_crowding = 16.0;

/// Of how crowded the processor was the last time, that it is taken to be.
constexpr double weight_of_crowding = 0.25;

/// Of how a place differs from others like it, that the last time has.
constexpr double weight_of_place = 0.2;

/// Guesses are good, so that a way is tried where it could be worth it, and only there.
Chooser::Known guess(Way way, double bytes_a_second, double factor) {
    return {.way = std::move(way), .model = WayModel(1.0 / bytes_a_second, factor)};
}

/// Seconds for a byte that the first tries do not disprove, to encode it or to decode it.
double hope_of(const Chooser::Known& known) {
    const auto hope = known.is_variant ? std::nullopt : known.model.hope();
    return hope.value_or(std::numeric_limits<double>::infinity());
}

bool is_new(const Chooser::Known& known) { return known.is_variant && known.chosen_at == 0; }

double norm(const std::array<double, 3>& sums) {
    const double largest = *std::ranges::max_element(sums);
    double powers = 0.0;
    for (const double each : sums) {
        powers += largest > 0.0 ? std::pow(each / largest, sharpness) : 0.0;
    }
    return largest * std::pow(powers, 1.0 / sharpness);
}

}  // namespace

std::string to_string(const Way& way) {
    return way.codec.empty() ? "as it is"
                             : way.codec + (way.mode == codecs::Mode::dense ? ", dense" : "") +
                                   (way.device.empty() ? "" : " on " + way.device);
}

base::Result<Chooser> Chooser::for_values(Dtype dtype, const codecs::Bound& bound, const std::string& wanted,
                                          std::span<const std::string> variants) {
    if (!wanted.empty()) {
        if (const auto found = find_codec(wanted); !found) {
            return base::fail(found);
        }
    }
    using Kind = codecs::Bound::Kind;
    // A share of each value is a bound that no codec keeps which may be off (plan_for).
    const auto keeps_bound = [&](const std::string& name) {
        const auto found = find_codec(name);
        return bound.kind != Kind::pointwise_relative || !found || !(*found)->describe().lossy;
    };
    const std::string codec = keeps_bound(wanted) ? wanted : "";
    const bool is_lossy = can_be_rounded(dtype) && (bound.kind == Kind::absolute || bound.kind == Kind::relative);
    std::vector<Known> codings;
    const auto add = [&](Way way, double bytes_a_second, double factor) {
        codings.push_back(guess(std::move(way), bytes_a_second, factor));
    };
    if (!codec.empty()) {
        add({codec}, 1e9, 1.0);
    } else if (is_lossy) {
        add({"dq", codecs::Mode::fast}, 3e9, 0.8);
        add({"dq", codecs::Mode::dense}, 1e9, 0.4);
    } else {
        add({"shuffle+lz4"}, 2e9, 0.6);
        add({"shuffle+zstd"}, 0.5e9, 0.5);
    }
    for (const std::string& variant : variants) {
        if (codec.empty() && keeps_bound(variant) &&
            std::ranges::none_of(codings, [&](const Known& is) { return is.way.codec == variant; })) {
            add({variant}, 1e9, 0.5);
            codings.back().is_variant = true;
        }
    }
    std::vector<Known> ways;
    if (codec.empty()) {
        ways.push_back(guess({}, 1e12, 1.0));
    }
    const auto is_here = [&](const Known& known) {
        const auto found = find_codec(known.way.codec);
        return found && (!known.is_variant || suits((*found)->describe(), dtype, is_lossy));
    };
    std::ranges::copy_if(codings, std::back_inserter(ways), is_here);
    Chooser chooser(std::move(ways), codec.empty() && bound.kind == Kind::exact ? 1.25 : 1.0);
    chooser.codings_ = std::move(codings);
    chooser.dtype_ = dtype;
    chooser.is_lossy_ = is_lossy;
    return chooser;
}

void Chooser::set_devices(std::span<const std::shared_ptr<Device>> devices) {
    for (Known& known : ways_) {
        known.is_there = known.way.device.empty() && known.failures == 0;  // what fails here fails again
    }
    for (const auto& device : devices) {
        add_ways_of(*device);
    }
}

void Chooser::add_ways_of(const Device& device) {
    for (const Known& coding : codings_) {
        if (!device.suits({coding.way.codec, coding.way.mode, dtype_, is_lossy_})) {
            continue;
        }
        const Way way{coding.way.codec, coding.way.mode, device.name()};
        auto known = std::ranges::find(ways_, way, &Known::way);
        if (known == ways_.end()) {
            known = ways_.insert(ways_.end(), coding);
            known->way = way;
            known->is_variant = true;
            if (const Attributes* const model = base::map_field(recalled_, to_string(way))) {
                known->model.recall(*model);
            }
        }
        known->is_there = true;
    }
}

Chooser::Hindrance Chooser::hindrance_of(const Known& known) const {
    const auto found = hindrances_.find(known.way.device);
    return found == hindrances_.end() ? Hindrance() : found->second;
}

Attributes Chooser::saved() const {
    Attributes saved;
    for (const Known& known : ways_) {
        if (Attributes model = known.model.saved(hindrance_of(known).slowdown.now()); !model.empty()) {
            saved.emplace(to_string(known.way), std::move(model));
        }
    }
    return saved;
}

void Chooser::recall(const Attributes& saved) {
    recalled_ = saved;
    for (Known& known : ways_) {
        if (const Attributes* const model = base::map_field(saved, to_string(known.way))) {
            known.model.recall(*model);
        }
    }
}

Chooser::Costs Chooser::costs(const Known& known, const Region& region, const Pace& pace) const {
    const auto bytes = static_cast<double>(region.bytes);
    if (known.way.codec.empty()) {
        return {bytes * pace.pass, bytes / pace.link, bytes * pace.pass};
    }
    Prediction is = known.model.predict(region);
    const double hope = hope_of(known), decode = std::min(pace.decode, hope);
    const Hindrance hindrance = hindrance_of(known);
    is.seconds = std::min(is.seconds, bytes * hope) * hindrance.slowdown.now() * hindrance.crowding;
    return {least_gain_ * (is.seconds + is.coded * pace.pass), least_gain_ * is.coded / pace.link,
            least_gain_ * (bytes * decode + is.coded * pace.pass)};
}

double Chooser::added(const Costs& costs, const Pace& pace) const {
    Costs sums = recent_;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += costs[i];
    }
    const double alone = std::max(1.0 / static_cast<double>(std::max<std::int64_t>(pace.ahead, 1)), least_alone);
    const auto [encode, link, decode] = costs;
    const double waited_for = std::max(encode - pace.backlog, 0.0) + link + decode;
    return (1.0 - alone) * (norm(sums) - norm(recent_)) + alone * waited_for;
}

bool Chooser::depends_on_region(const Pace& pace) const {
    constexpr std::int64_t any = 1 << 20;
    const auto can_be_worth_it = [&](const Known& known) {
        // However few bytes come of it, work is left.
        return known.is_there && !known.way.codec.empty() &&
               added(costs(known, {any, 0.0}, pace), pace) < added(costs(ways_.front(), {any}, pace), pace);
    };
    return ways_.size() > 1 && std::ranges::any_of(ways_, can_be_worth_it);
}

std::size_t Chooser::choose(const Region& region, const Pace& pace) {
    std::vector<double> seconds;
    std::ranges::transform(ways_, std::back_inserter(seconds), [&](const Known& known) {
        return known.is_there ? added(costs(known, region, pace), pace) : std::numeric_limits<double>::infinity();
    });
    const auto best = static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin());
    follow_leader(best);
    // More work costs its time, though the link is what all wait for.
    const auto cost_of_try = [&](std::size_t i) {
        const double work = costs(ways_[i], region, pace).front() - costs(ways_[best], region, pace).front();
        return std::max(seconds[i] - seconds[best], work);
    };
    const auto is_affordable = [&](std::size_t i) {
        const Budget& budget = budget_of(i);
        return budget.taken + cost_of_try(i) <= budget.share * spent_;
    };
    const std::size_t next = next_to_try(best, is_affordable);
    const std::size_t chosen = is_affordable(next) ? next : best;
    const bool is_try = chosen != best;
    spent_ += seconds[chosen];
    budget_of(chosen).taken += is_try ? cost_of_try(chosen) : 0.0;
    if (choices_ - ways_[chosen].chosen_at >= (is_try ? shortest_pause : long_ago)) {
        ways_[chosen].model.doubt();
    }
    ways_[chosen].chosen_at = ++choices_;
    remember(costs(ways_[chosen], region, pace));
    return chosen;
}

/// Of those that code; what goes as it is takes turns with them.
void Chooser::follow_leader(std::size_t best) {
    if (ways_[best].way.codec.empty()) {
        return;
    }
    in_a_row_ = best == last_best_ ? in_a_row_ + 1 : 1;
    last_best_ = best;
    if (best != leader_ && in_a_row_ >= choices_to_lead) {
        leader_ = best;
        leads_since_ = choices_;
    }
}

/// That was not chosen for the longest time; `best` where none is.
std::size_t Chooser::next_to_try(std::size_t best, base::FunctionRef<bool(std::size_t)> is_affordable) const {
    std::size_t next = best;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
        const Known& known = ways_[i];
        // A codec that was never tried is one of which nobody expects anything here. What goes as it is shows how fast
        // the link is.
        const bool is_worth_it = known.way.codec.empty() || known.is_variant || known.model.was_tried();
        const bool is_next = i != best && known.is_there && is_worth_it && is_due(i) &&
                             (next == best || known.chosen_at < ways_[next].chosen_at);
        // For what is new all others wait: those that cost little would leave nothing to it.
        if (is_next && (is_new(known) || is_affordable(i))) {
            next = i;
        }
    }
    return next;
}

Chooser::Budget& Chooser::budget_of(std::size_t i) {
    const bool may_have_changed = !ways_[i].way.codec.empty() && choices_ - leads_since_ <= longest_pause;
    return is_new(ways_[i]) || may_have_changed ? for_unsure_ : for_known_;
}

/// The longer one leads, the seldomer.
bool Chooser::is_due(std::size_t i) const {
    return choices_ - ways_[i].chosen_at >= std::clamp((choices_ - leads_since_) / 2, shortest_pause, longest_pause);
}

void Chooser::remember(const Costs& now) {
    for (std::size_t i = 0; i < now.size(); ++i) {
        recent_[i] = remembered * recent_[i] + now[i];
    }
}

Prediction Chooser::prediction(std::size_t chosen, const Region& region) const {
    const Known& known = ways_[chosen];
    Prediction is = known.model.predict(region);
    is.seconds *= hindrance_of(known).slowdown.now();
    if (region.lately && region.lately->way == chosen) {
        is.seconds *= region.lately->seconds;
        is.coded *= region.lately->coded;
    }
    return is;
}

base::Seconds Chooser::expected(std::size_t chosen, const Region& region) const {
    return base::Seconds(ways_[chosen].way.codec.empty() ? 0.0 : prediction(chosen, region).seconds);
}

Region::Lately Chooser::learn(std::size_t chosen, const Region& region, std::int64_t coded, base::Seconds took,
                              double crowding) {
    Known& known = ways_[chosen];
    ++known.tries;
    known.bytes += region.bytes;
    known.coded += coded;
    known.took += took;
    Region::Lately lately =
        region.lately && region.lately->way == chosen ? *region.lately : Region::Lately{.way = chosen};
    if (known.way.codec.empty() || took <= base::Seconds(0) || region.bytes <= 0) {
        return lately;
    }
    const Prediction is = prediction(chosen, region), measured{took.count(), static_cast<double>(coded)};
    known.expected += base::Seconds(is.seconds);
    known.expected_coded += is.coded;
    known.model.judge(is, measured);
    Hindrance& hindrance = hindrances_[known.way.device];
    const double slowdown = hindrance.slowdown.now();
    const double slower = WayModel::factor_of(measured.seconds, is.seconds);
    const double counts = known.model.is_settled(region) ? hindrance.slowdown.see(slower) : slower;
    hindrance.slowdown.fade();
    known.model.learn(region, {counts * is.seconds, measured.coded}, slowdown);
    hindrance.crowding *= std::pow(WayModel::factor_of(crowding, hindrance.crowding), weight_of_crowding);
    hindrance.crowding = std::clamp(hindrance.crowding, 1.0 / most_crowding, most_crowding);
    lately.seconds *= std::pow(slower, weight_of_place);
    lately.coded *= std::pow(WayModel::factor_of(measured.coded, is.coded), weight_of_place);
    return lately;
}

/// As if it had come, so much later. Whoever goes another way then has lost as much as a try may cost.
void Chooser::fail(std::size_t chosen, const Region& region, base::Seconds lost) {
    Known& known = ways_[chosen];
    ++known.failures;
    known.took += lost;
    spent_ += lost.count();
    for_unsure_.taken += lost.count();
    for_known_.taken += lost.count();
    known.model.slow_down(region, lost.count() / hindrance_of(known).slowdown.now());
}

/// Nothing is learnt of it, and it is no try. What has encoded it does not matter.
std::vector<Chooser::Known>::iterator Chooser::known_by(const Way& way) {
    return std::ranges::find_if(ways_,
                                [&](const Known& is) { return is.way.codec == way.codec && is.way.mode == way.mode; });
}

void Chooser::went(const Way& way, const codecs::PayloadInfo& payload) {
    if (const auto known = known_by(way); known != ways_.end()) {
        Kept& kept = known->kept;
        kept.bound = std::max(kept.bound, payload.bound);
        kept.tiles += payload.tiles;
        kept.raw_tiles += payload.raw_tiles;
        kept.fallback_tiles += payload.fallback_tiles;
    }
}

bool Chooser::reuse(const Way& way, std::int64_t bytes, std::int64_t coded, const Pace& pace) {
    const auto known = known_by(way);
    const double length = static_cast<double>(coded);
    const double decode = known == ways_.end() ? pace.decode : std::min(pace.decode, hope_of(*known));
    const Costs now{length * pace.pass, length / pace.link, static_cast<double>(bytes) * decode + length * pace.pass};
    if (known == ways_.end() || added(now, pace) > added(costs(ways_.front(), {bytes}, pace), pace)) {
        return false;
    }
    ++known->tries;
    known->bytes += bytes;
    known->reused += bytes;
    known->coded += coded;
    known->reused_coded += coded;
    remember(now);
    return true;
}

}  // namespace staithe::transform
