#include "transport/patience.hpp"

#include "os/process.hpp"

namespace staithe::transport {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds longest_spin{50'000};  // twice a wake-up: beyond it, sleeping is the cheaper bet
constexpr int failures_until_rest = 4;       // one slow step among quick ones is no reason to stop
constexpr int failures_until_retry = 16;     // programs change their pace

}  // namespace

Patience::Patience() : cores_to_spare_(os::online_cores() > 1) {}

nanoseconds Patience::spin_time() const {
    const bool worthwhile = failures_ < failures_until_rest || failures_ % failures_until_retry == 0;
    return cores_to_spare_ && worthwhile ? longest_spin : nanoseconds(0);
}

}  // namespace staithe::transport
