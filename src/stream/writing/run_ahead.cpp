#include "stream/writing/run_ahead.hpp"

namespace staithe::stream {
namespace {

// What stays in the cache that a core has for itself, or nearly so.
constexpr std::int64_t warm_bytes = std::int64_t{2} << 20;
// One step is read while the next one is written.
constexpr std::int64_t overlapping_steps = 2;
// Writing and reading through memory takes about so much longer than through the cache.
constexpr double seconds_per_cold_byte = 1e-10;
constexpr int failures_until_rest = 4;
constexpr int failures_until_retry = 16;  // readers change their pace

}  // namespace

bool RunAhead::is_far(std::int64_t steps, std::int64_t step_bytes) {
    return steps >= overlapping_steps && steps * step_bytes >= warm_bytes;
}

base::Seconds RunAhead::worth_waiting(std::int64_t step_bytes) {
    if (in_vain_ >= failures_until_rest && in_vain_ % failures_until_retry != 0) {
        ++in_vain_;
        return base::Seconds(0);
    }
    return base::Seconds(seconds_per_cold_byte * static_cast<double>(step_bytes));
}

}  // namespace staithe::stream
