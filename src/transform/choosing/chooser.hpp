// Which way of coding has data at its target soonest: a model of the time that each way takes, learnt from what it
// took.
//
// Encoding, sending and decoding go on at the same time, so a way costs what the slowest of the three takes. Of each
// way the model knows seconds and bytes of code for a byte of data, at first a guess, later an average in which the
// last tries weigh most: so it follows processors that get busy, and data that changes. What is not chosen is tried
// again now and then, as far as that takes no more than a hundredth of the time. Where nobody has said that values may
// be off, a codec has to save a fifth of the time: its work is not asked for. Knows neither clocks nor sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <staithe/transform.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::transform {

/// How data goes; without a codec: as it is.
struct Way {
    std::string codec{};
    codecs::Mode mode = codecs::Mode::fast;
    bool operator==(const Way&) const = default;
};

/// What bounds the ways, besides encoding.
struct Pace {
    double link = 1e9;    // bytes a second
    double decode = 0.0;  // seconds for a byte of data, at the other end; 0: not known
};

class Chooser {
  public:
    /// What is known of a way.
    struct Estimate {
        Way way;
        double seconds = 0.0;  // to encode a byte of data
        double ratio = 1.0;    // bytes of code for a byte of data
        std::int64_t tries = 0;
        std::int64_t bytes = 0;    // of data that went this way
        std::int64_t coded = 0;    // that these took
        base::Seconds took{};      // to encode them
        base::Seconds expected{};  // before they were
    };

    /// Of values of that dtype under that bound; with a codec's name that one alone. `not_found` if it is not there.
    static base::Result<Chooser> for_values(Dtype dtype, const codecs::Bound& bound, const std::string& codec = "");

    /// For the next so many bytes of data.
    [[nodiscard]] std::size_t choose(std::int64_t bytes, const Pace& pace);
    [[nodiscard]] const Way& way(std::size_t chosen) const { return estimates_[chosen].way; }
    /// What came of it. Whatever is not coded took no time and all its bytes.
    void learn(std::size_t chosen, std::int64_t bytes, std::int64_t coded, base::Seconds took);

    [[nodiscard]] std::span<const Estimate> estimates() const { return estimates_; }

  private:
    Chooser(std::vector<Estimate> estimates, double least_gain)
        : estimates_(std::move(estimates)), chosen_at_(estimates_.size()), least_gain_(least_gain) {}
    [[nodiscard]] double cost(const Estimate& estimate, const Pace& pace) const;

    std::vector<Estimate> estimates_;
    std::vector<std::int64_t> chosen_at_;  // of each, the choice at which it was chosen last
    double least_gain_;                    // by which a codec has to be sooner done, as a factor
    std::int64_t choices_ = 0;
    double spent_ = 0.0;     // seconds, as expected
    double on_tries_ = 0.0;  // of them, more than the best way would have taken
};

}  // namespace staithe::transform
