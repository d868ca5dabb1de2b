// A clock that stands still while this process does.
//
// When a server goes on that was stopped, swapped out or starved, renewals of leases lie in its sockets that came in
// time. It must not take their senders for dead before it has read them.
#pragma once

#include <algorithm>

#include "base/deadline.hpp"

namespace staithe::server {

class OwnTime {
  public:
    /// Who is not asked for longer than that did not run.
    explicit OwnTime(base::Seconds longest_step)
        : longest_step_(std::chrono::duration_cast<base::Clock::duration>(longest_step)) {}

    [[nodiscard]] base::Clock::time_point now() {
        const auto seen = base::Clock::now();
        now_ += std::min(seen - seen_, longest_step_);
        seen_ = seen;
        return now_;
    }

  private:
    const base::Clock::duration longest_step_;
    base::Clock::time_point seen_ = base::Clock::now();
    base::Clock::time_point now_ = seen_;
};

}  // namespace staithe::server
