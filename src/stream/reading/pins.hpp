// How many of a source's steps are held: for sources to which nobody gives steps back.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "stream/reading/step.hpp"

namespace staithe::stream {

class Pins {
  public:
    /// The step, counted as long as it is held.
    [[nodiscard]] std::shared_ptr<const Step> pin(std::shared_ptr<const Step> step) const {
        const Step* const shown = step.get();
        count_->fetch_add(1, std::memory_order_relaxed);
        return {shown, [count = count_, held = std::move(step)](const Step*) {
                    count->fetch_sub(1, std::memory_order_relaxed);
                }};
    }
    [[nodiscard]] std::int64_t count() const { return count_->load(std::memory_order_relaxed); }

  private:
    const std::shared_ptr<std::atomic<std::int64_t>> count_ = std::make_shared<std::atomic<std::int64_t>>(0);
};

}  // namespace staithe::stream
