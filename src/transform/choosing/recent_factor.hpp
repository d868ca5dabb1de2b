// By what factor something takes longer of late than it would.
//
// What is far off once counts for half as long again, as it was interrupted; what is so twice in a row has changed.
#pragma once

#include <algorithm>
#include <cmath>

namespace staithe::transform {

class RecentFactor {
  public:
    /// Something took so many times what it should with this factor. As far as that counts.
    double see(double longer) {
        const double off = std::log(longer);
        const bool is_again = std::abs(last_) > much && last_ * off > 0.0;
        last_ = off;
        const double counts = is_again ? off : std::clamp(off, -much, much);
        logarithm_ += weight * counts;
        return std::exp(counts);
    }
    /// Something more has happened since: what is not seen again is forgotten.
    void fade() { logarithm_ *= kept; }
    [[nodiscard]] double now() const { return std::exp(logarithm_); }

  private:
    static constexpr double weight = 0.25;
    static constexpr double kept = 1.0 - 1.0 / 16.0;
    static constexpr double much = 0.4;  // half as long again

    double logarithm_ = 0.0;
    double last_ = 0.0;
};

}  // namespace staithe::transform
