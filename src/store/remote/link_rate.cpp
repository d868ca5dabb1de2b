#include "store/remote/link_rate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace staithe::store::remote {
namespace {

// Kernels count in ticks, of 10 ms at most.
constexpr base::Seconds tick{10e-3};
constexpr base::Seconds enough_time{20e-3};
constexpr base::Seconds smallest_time{2e-3};
constexpr std::int64_t enough_bytes = 8 << 20;

/// Of what was carried before, and the time for it, that counts with the last look.
constexpr double remembered = 0.75;

/// A look finds the link so many times slower at most: a reader that was stopped, or has no room for what comes, looks
/// like a link that carries nothing.
constexpr double most_slower = 8.0;

/// Of which one was used so long before another, they are not used side by side.
constexpr std::chrono::milliseconds side_by_side{200};

}  // namespace

void LinkRate::look(std::uint64_t connection, std::int64_t bytes, base::Seconds busy, base::Clock::time_point now) {
    Connection& known = connections_[connection];
    const base::Seconds longer = busy - known.busy;
    bytes_ += bytes - known.bytes;
    known = {bytes, busy, now};
    const auto used =
        std::ranges::count_if(connections_, [&](const auto& each) { return now - each.second.used < side_by_side; });
    busy_ += longer / static_cast<double>(used);
    passed_ += std::min<base::Seconds>(now - last_look_, longer + tick);
    last_look_ = now;
    if (busy_ < enough_time && bytes_ < enough_bytes) {
        return;
    }
    const base::Seconds passed = std::max(passed_, smallest_time);
    const double share = std::min(busy_ / passed, 1.0);
    base::Seconds took = passed * (1.0 - std::pow(1.0 - share, static_cast<double>(used)));
    if (carried_bytes_ > 0.0) {
        took = std::min(took, std::max(most_slower * takes(bytes_), enough_time));
    }
    carried_bytes_ = remembered * carried_bytes_ + static_cast<double>(bytes_);
    if (carried_bytes_ > 0.0) {
        carried_in_ = remembered * carried_in_ + std::max(took, smallest_time);
        const double before = std::exchange(seconds_a_byte_, carried_in_.count() / carried_bytes_);
        // What it was handed already is carried at the new rate, too.
        free_at_ = now + std::chrono::duration_cast<base::Clock::duration>(backlog(now) * (seconds_a_byte_ / before));
    }
    bytes_ = 0;
    busy_ = passed_ = {};
}

void LinkRate::hand(std::int64_t bytes, base::Clock::time_point now) {
    free_at_ = std::max(free_at_, now) + std::chrono::duration_cast<base::Clock::duration>(takes(bytes));
}

}  // namespace staithe::store::remote
