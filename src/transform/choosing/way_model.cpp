#include "transform/choosing/way_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/fields.hpp"

namespace staithe::transform {
namespace {

/// Of an average, that the last try has at least.
constexpr double least_weight = 0.1;

/// What took longer than so many times what it takes was interrupted, and tells no more than that.
constexpr double most_slower = 8.0;

/// How fast the interval follows: 5 of 100 make it by 21 % wider each, the others by 1 % narrower.
constexpr double pace_of_interval = 0.2;
constexpr double share_outside = 0.05;
constexpr double most_deviations = 100.0;

/// What was taken for granted before the first try counts as one: that may have been the slowest.
double weight_of(std::int64_t tries) { return std::max(1.0 / static_cast<double>(tries + 1), least_weight); }

/// Of what was learnt in an earlier run, or long ago: the next tries weigh a sixth and less, or a quarter.
constexpr std::int64_t most_recalled_tries = 4, most_doubted_tries = 2;

/// Seconds for a byte, or a factor, that a file may say.
bool can_be(double number) { return number > 1e-15 && number < 1e15; }

/// The first of a run touch memory and code that nobody has touched before. As long as they still weigh, what was
/// sooner done counts for so much: it shows what they were slowed down by. So does what was far sooner done than few
/// tries have it, as there are after a doubt.
constexpr std::int64_t first_tries = 16, few_tries = 4;
constexpr double weight_of_sooner = 0.5;
constexpr double far_sooner = 0.8;

double logarithm(double of) {
    static const double limit = std::log(most_slower);
    return std::clamp(std::log(std::max(of, 1e-300)), -limit, limit);
}

}  // namespace

std::size_t WayModel::class_of(const Region& region) {
    const double octaves = -std::log2(std::clamp(region.share, 1e-9, 1.0));
    return std::min(static_cast<std::size_t>(2.0 * octaves), classes - 1);
}

const WayModel::Class& WayModel::nearest(const Region& region) const {
    const std::size_t own = class_of(region);
    for (std::size_t away = 0; away < classes; ++away) {
        // Rather one that takes more: who is disappointed by a try had it for nothing.
        if (own >= away && classes_[own - away].tries > 0) {
            return classes_[own - away];
        }
        if (own + away < classes && classes_[own + away].tries > 0) {
            return classes_[own + away];
        }
    }
    return guess_;
}

Prediction WayModel::predict(const Region& region) const {
    const Class& like = nearest(region);
    const auto bytes = static_cast<double>(region.bytes);
    return {bytes * like.seconds, bytes * std::min(region.share * like.factor, 1.0)};
}

std::optional<double> WayModel::hope() const {
    return tries_ < first_tries ? std::optional(guess_.seconds) : std::nullopt;
}

bool WayModel::is_settled(const Region& region) const {
    return tries_ >= first_tries && classes_[class_of(region)].tries >= first_tries;
}

void WayModel::judge(const Prediction& expected, const Prediction& measured) {
    if (!was_tried()) {
        return;
    }
    const double off = logarithm(measured.seconds / expected.seconds);
    const bool is_within = std::abs(off) <= deviations_ * std::sqrt(variance_);
    deviations_ *= std::exp(pace_of_interval * ((is_within ? 0.0 : 1.0) - share_outside));
    deviations_ = std::clamp(deviations_, 1.0 / most_deviations, most_deviations);
    ++accuracy_.predictions;
    accuracy_.within += is_within ? 1 : 0;
    accuracy_.seconds_off += std::abs(expected.seconds / measured.seconds - 1.0);
    accuracy_.coded_off += std::abs(expected.coded / measured.coded - 1.0);
    variance_ += weight_of(tries_) * (off * off - variance_);
}

double WayModel::factor_of(double measured, double expected) { return std::exp(logarithm(measured / expected)); }

WayModel::Class& WayModel::own(const Region& region) {
    Class& own = classes_[class_of(region)];
    if (own.tries == 0) {
        own = nearest(region);
        own.tries = 0;
    }
    return own;
}

void WayModel::learn(const Region& region, const Prediction& took, double slowdown) {
    ++tries_;
    Class& like = own(region);
    const auto bytes = static_cast<double>(region.bytes);
    const double weight = weight_of(++like.tries);
    const double factor = took.coded / (bytes * std::max(region.share, 1e-9));
    const double seconds = took.seconds / slowdown / bytes;
    like.factor *= std::pow(factor / like.factor, weight);
    const bool is_sooner =
        tries_ <= first_tries ? seconds < like.seconds : like.tries <= few_tries && seconds < far_sooner * like.seconds;
    like.seconds *= std::exp((is_sooner ? weight_of_sooner : weight) * logarithm(seconds / like.seconds));
}

void WayModel::doubt() {
    for (Class& each : classes_) {
        each.tries = std::min(each.tries, most_doubted_tries);
    }
}

void WayModel::slow_down(const Region& region, double seconds) {
    Class& like = own(region);
    const double of_byte = seconds / static_cast<double>(std::max<std::int64_t>(region.bytes, 1));
    like.seconds *= std::exp(weight_of(++like.tries) * logarithm(1.0 + of_byte / like.seconds));
}

Attributes WayModel::saved(double slowdown) const {
    List learnt;
    for (std::size_t i = 0; i < classes; ++i) {
        if (const Class& each = classes_[i]; each.tries > 0) {
            learnt.emplace_back(List{static_cast<std::int64_t>(i), each.seconds * slowdown, each.factor, each.tries});
        }
    }
    return learnt.empty() ? Attributes() : Attributes{{"classes", std::move(learnt)}, {"variance", variance_}};
}

void WayModel::recall(const Attributes& saved) {
    const List* const learnt = base::list_field(saved, "classes");
    const Value* const variance = find(saved, "variance");
    for (const Value& value : learnt == nullptr ? List() : *learnt) {
        const List* const fields = value.as_list();
        const auto number = fields != nullptr && fields->size() == 4 ? (*fields)[0].as_int() : std::nullopt;
        if (!number || *number < 0 || *number >= static_cast<std::int64_t>(classes)) {
            continue;
        }
        const auto seconds = (*fields)[1].as_double(), factor = (*fields)[2].as_double();
        const auto tries = (*fields)[3].as_int();
        if (seconds && factor && tries && can_be(*seconds) && can_be(*factor) && *tries > 0) {
            const std::int64_t recalled = std::min(*tries, most_recalled_tries);
            classes_[static_cast<std::size_t>(*number)] = {*seconds, *factor, recalled};
            tries_ = std::min(tries_ + recalled, most_recalled_tries);
            guess_.seconds = std::max(guess_.seconds, *seconds);  // that is what may be hoped for
        }
    }
    if (const auto recalled = variance == nullptr ? std::nullopt : variance->as_double()) {
        variance_ = can_be(*recalled) ? *recalled : 0.0;
    }
}

}  // namespace staithe::transform
