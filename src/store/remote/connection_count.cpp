#include "store/remote/connection_count.hpp"

#include <algorithm>
#include <utility>

namespace staithe::store::remote {
namespace {

/// A smaller fetch says more of delays than of rates.
constexpr std::int64_t least_bytes = 4 << 20;
/// Rates vary by less where nothing is gained, and each connection costs both sides.
constexpr double worth_it = 1.3;
/// New connections begin slowly, the longer the way, and lose more at first. As long as they gain so much from one
/// fetch to the next, they are given another one.
constexpr double still_rises = 1.1;
/// Few steps, so that a number is found with the third fetch: 1, 8, 16.
constexpr int first_more = 8;
constexpr int longest_pause = 256;

}  // namespace

void ConnectionCount::took(int connections, std::int64_t bytes, base::Seconds time) {
    if (connections != now_ || bytes < least_bytes || kept_ == most_) {
        return;
    }
    if (now_ == kept_ && --left_ > 0) {
        return;
    }
    const double rate = static_cast<double>(bytes) / std::max(time.count(), 1e-9);
    if (now_ == kept_ || rate >= worth_it * best_rate_) {
        best_rate_ = rate;
        tried_rate_ = 0.0;
        pause_ = now_ == kept_ ? pause_ : first_pause;
        kept_ = now_;
        now_ = std::min(std::max(2 * now_, first_more), most_);
    } else if (rate < still_rises * std::exchange(tried_rate_, rate)) {
        now_ = kept_;
        tried_rate_ = 0.0;
        left_ = pause_;
        pause_ = std::min(2 * pause_, longest_pause);
    }
}

}  // namespace staithe::store::remote
