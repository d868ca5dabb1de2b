#include "transport/bell.hpp"

#include <algorithm>

#include "os/process.hpp"

namespace staithe::transport {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds longest_spin{50'000};  // twice a wake-up: beyond it, sleeping is the cheaper bet
constexpr nanoseconds shortest_spin{2'000};
constexpr int failures_until_retry = 16;

}  // namespace

Patience::Patience()
    : cores_to_spare_(os::usable_cores() > 1), spin_time_(cores_to_spare_ ? longest_spin : nanoseconds(0)) {}

void Patience::spinning_paid() {
    failures_ = 0;
    spin_time_ = std::min(spin_time_ * 2, longest_spin);
}

void Patience::spinning_failed() {
    if (!cores_to_spare_) {
        return;
    }
    ++failures_;
    // Halved while it fails, then off; tried again now and then, as programs change their pace.
    spin_time_ = spin_time_ > shortest_spin ? spin_time_ / 2 : nanoseconds(0);
    if (failures_ % failures_until_retry == 0) {
        spin_time_ = longest_spin;
    }
}

}  // namespace staithe::transport
