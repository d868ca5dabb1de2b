#include "transform/choosing/way_model.hpp"

#include <algorithm>
#include <cmath>

namespace staithe::transform {
namespace {

/// Of an average, that the last try has at least.
constexpr double least_weight = 0.1;

/// What took longer than so many times what it takes was interrupted, and tells no more than that.
constexpr double most_slower = 8.0;

/// 95 of 100 of what is distributed normally lie within so many standard deviations.
constexpr double deviations_of_95 = 1.96;

/// What was taken for granted before the first try counts as one: that may have been the slowest.
double weight_of(std::int64_t tries) { return std::max(1.0 / static_cast<double>(tries + 1), least_weight); }

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

void WayModel::judge(const Prediction& expected, const Prediction& measured) {
    const double off = logarithm(measured.seconds / expected.seconds);
    ++accuracy_.predictions;
    accuracy_.within += std::abs(off) <= deviations_of_95 * std::sqrt(variance_) ? 1 : 0;
    accuracy_.seconds_off += std::abs(expected.seconds / measured.seconds - 1.0);
    accuracy_.coded_off += std::abs(expected.coded / measured.coded - 1.0);
    variance_ += weight_of(tries_) * (off * off - variance_);
}

double WayModel::learn(const Region& region, const Prediction& measured, double slowdown) {
    if (measured.seconds <= 0.0 || region.bytes <= 0) {
        return 1.0;
    }
    Prediction expected = predict(region);
    expected.seconds *= slowdown;
    if (was_tried()) {
        judge(expected, measured);
    }
    ++tries_;
    Class& own = classes_[class_of(region)];
    const bool is_new = own.tries == 0;
    if (is_new) {
        own = nearest(region);
        own.tries = 0;
    }
    const auto bytes = static_cast<double>(region.bytes);
    const double weight = weight_of(++own.tries);
    const double factor = measured.coded / (bytes * std::max(region.share, 1e-9));
    const double seconds = measured.seconds / slowdown / bytes;
    own.factor *= std::pow(factor / own.factor, weight);
    own.seconds *= std::exp(weight * logarithm(seconds / own.seconds));
    return is_new ? 1.0 : std::exp(logarithm(measured.seconds / expected.seconds));
}

}  // namespace staithe::transform
