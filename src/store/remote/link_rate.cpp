#include "store/remote/link_rate.hpp"

#include <algorithm>
#include <chrono>

namespace staithe::store::remote {
namespace {

// Kernels count in ticks, of 10 ms at most.
constexpr base::Seconds enough_time{20e-3};
constexpr base::Seconds smallest_time{2e-3};
constexpr std::int64_t enough_bytes = 8 << 20;

/// Of the average, that the last look has.
constexpr double weight_of_last_look = 0.25;

/// Of which one was used so long before another, they are not used side by side.
constexpr std::chrono::milliseconds side_by_side{200};

}  // namespace

void LinkRate::look(std::uint64_t connection, std::int64_t bytes, base::Seconds busy, base::Clock::time_point now) {
    Connection& known = connections_[connection];
    const std::int64_t more = bytes - known.bytes;
    const base::Seconds longer = busy - known.busy;
    known = {bytes, busy, now};
    const auto used =
        std::ranges::count_if(connections_, [&](const auto& each) { return now - each.second.used < side_by_side; });
    bytes_ += more;
    time_ += longer / static_cast<double>(used);
    if (time_ < enough_time && bytes_ < enough_bytes) {
        return;
    }
    const double rate = static_cast<double>(bytes_) / std::max(time_, smallest_time).count();
    rate_ += is_known_ ? weight_of_last_look * (rate - rate_) : rate - rate_;
    is_known_ = true;
    bytes_ = 0;
    time_ = {};
}

}  // namespace staithe::store::remote
