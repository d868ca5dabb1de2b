#include "store/remote/connection_count.hpp"

#include <algorithm>
#include <utility>

namespace staithe::store::remote {
namespace {

/// A smaller fetch says more of delays than of rates.
constexpr std::int64_t least_bytes = 4 << 20;
/// Rates vary by less where nothing is gained, and each connection costs both sides.
constexpr double worth_it = 1.3;
/// Few steps, so that a number is found soon: 1, 4, 8, 16.
constexpr int first_more = 4;
constexpr int until_tried_again = 256;

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
        kept_ = now_;
        best_rate_ = rate;
        has_failed_ = false;
        now_ = std::min(std::max(2 * now_, first_more), most_);
    } else if (!std::exchange(has_failed_, true)) {
        return;  // new connections begin slowly, and lose more
    } else {
        now_ = kept_;
        has_failed_ = false;
        left_ = until_tried_again;
    }
}

}  // namespace staithe::store::remote
