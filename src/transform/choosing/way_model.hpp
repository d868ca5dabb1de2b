// What is known of one way of coding: how long it takes and what it leaves, by what regions are like.
//
// Regions are told apart by the share that a sample of them took, in classes of half an octave. Of each class an
// average is learnt, in which the last tries weigh more: seconds for a byte, and by what factor a region's coded bytes
// are more or fewer than its sample promised. A class in which nothing was tried is taken to be as the nearest one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <staithe/value.hpp>

#include "transform/choosing/region.hpp"

namespace staithe::transform {

struct Prediction {
    double seconds = 0.0;
    double coded = 0.0;  // bytes
};

/// How near predictions came to what was measured. Guesses, before there was a try, count for nothing.
struct Accuracy {
    std::int64_t predictions = 0;
    std::int64_t within = 0;   // the interval that 95 of 100 times should have been in
    double seconds_off = 0.0;  // sum of shares of what was measured
    double coded_off = 0.0;
};

class WayModel {
  public:
    /// As is guessed before there was a try.
    WayModel(double seconds_a_byte, double factor) : guess_{.seconds = seconds_a_byte, .factor = factor} {}

    /// While nothing else slows the processor down.
    [[nodiscard]] Prediction predict(const Region& region) const;
    /// Whether enough like it was tried to tell from what the next one takes how slow all is.
    [[nodiscard]] bool is_settled(const Region& region) const;
    /// What came of an expectation.
    void judge(const Prediction& expected, const Prediction& measured);
    /// Such a region took that, as far as it counts; `slowdown`: by what factor all was slower then.
    void learn(const Region& region, const Prediction& took, double slowdown);
    /// What was learnt was so long ago that the next tries weigh more.
    void doubt();
    /// Such a region took so much longer, and nothing came of it.
    void slow_down(const Region& region, double seconds);
    /// Of one expectation over another, as far as such a factor says anything.
    [[nodiscard]] static double factor_of(double measured, double expected);

    /// What was learnt, for the next run, as it is now, `slowdown` included; nothing if nothing was.
    [[nodiscard]] Attributes saved(double slowdown) const;
    /// Goes on from there: what is newly learnt weighs soon. Untrusted: what cannot be says nothing.
    void recall(const Attributes& saved);

    [[nodiscard]] bool was_tried() const { return tries_ > 0; }
    /// Seconds for a byte that the first tries, which find all caches cold, do not disprove; nothing after them.
    [[nodiscard]] std::optional<double> hope() const;
    [[nodiscard]] const Accuracy& accuracy() const { return accuracy_; }

  private:
    struct Class {
        double seconds = 0.0;  // for a byte
        double factor = 1.0;   // coded bytes over what the sample promised
        std::int64_t tries = 0;
    };
    static constexpr std::size_t classes = 28;  // down to a share of 2^-14
    [[nodiscard]] static std::size_t class_of(const Region& region);
    [[nodiscard]] const Class& nearest(const Region& region) const;
    /// Its class, which begins as the nearest one.
    Class& own(const Region& region);

    Class guess_;
    std::array<Class, classes> classes_{};
    std::int64_t tries_ = 0;
    double variance_ = 0.0;  // of the logarithm of what was measured over what was expected, in seconds
    /// Within so many standard deviations 95 of 100 are expected: as many as of a normal distribution, and then as many
    /// as were seen to be, whatever the distribution (Gibbs and Candes, Adaptive conformal inference under distribution
    /// shift, 2021).
    double deviations_ = 1.96;
    Accuracy accuracy_;
};

}  // namespace staithe::transform
