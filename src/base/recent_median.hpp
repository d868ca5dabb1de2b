// What a measurement was lately, whatever one of them was: one that was interrupted says nothing of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace staithe::base {

class RecentMedian {
  public:
    void add(double measured) { last_[count_++ % last_.size()] = measured; }

    /// Of an even number, the lower one; 0 before there was any.
    [[nodiscard]] double median() const {
        auto sorted = last_;
        const std::size_t known = std::min(count_, sorted.size());
        std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known));
        return known == 0 ? 0.0 : sorted[(known - 1) / 2];
    }

  private:
    std::array<double, 5> last_{};
    std::size_t count_ = 0;
};

}  // namespace staithe::base
