#include "store/remote/link_rate.hpp"

#include <algorithm>
#include <chrono>

namespace staithe::store::remote {
namespace {

// Kernels count in ticks.
constexpr base::Seconds longest_tick{10e-3};
constexpr base::Seconds enough_time{20e-3};
constexpr base::Seconds smallest_time{2e-3};
constexpr std::int64_t enough_bytes = 8 << 20;

/// Of the average, that the last look has.
constexpr double weight_of_last_look = 0.25;

}  // namespace

void LinkRate::look(std::uint64_t connection, std::int64_t bytes, base::Seconds busy,
                    std::optional<base::Clock::time_point> began, base::Clock::time_point now) {
    Connection& known = connections_[connection];
    const std::int64_t more = bytes - known.bytes;
    // What the kernel counts comes in ticks: more than there was time for is of earlier looks, or of later ones.
    const base::Seconds counted = std::max(busy - known.busy, base::Seconds(0));
    const base::Seconds longer = std::min(counted, began ? base::Seconds(now - *began) : counted);
    known = {bytes, std::max(known.busy + longer, busy - longest_tick)};
    bytes_ += more;
    // Where it had some more than once, it is taken to have had it in one go.
    const auto length = std::chrono::duration_cast<base::Clock::duration>(longer);
    const auto first = began.value_or(now - length);
    const auto start = std::max(first, counted_until_);
    if (const auto end = first + length; end > start) {
        time_ += end - start;
        counted_until_ = end;
    }
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
