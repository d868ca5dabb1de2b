#include "space/spread/leaders.hpp"

#include <numeric>
#include <thread>

#include "base/interruption.hpp"

namespace staithe::space {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(10);

}  // namespace

Leaders::Leaders(int servers) : leaders_(static_cast<std::size_t>(servers)) {
    std::iota(leaders_.begin(), leaders_.end(), 0);
}

int Leaders::of(int home) const {
    const std::lock_guard lock(mutex_);
    return leaders_[static_cast<std::size_t>(home)];
}

std::optional<int> Leaders::look(int home, const Ask& ask, const base::Deadline& deadline) {
    const int servers = static_cast<int>(leaders_.size());
    for (;;) {
        for (int next = 0; next < servers; ++next) {  // most often the one after it goes on
            const int rank = (home + next) % servers;
            const auto homes = ask(rank);
            if (homes && homes->contains(home)) {
                const std::lock_guard lock(mutex_);
                leaders_[static_cast<std::size_t>(home)] = rank;
                return rank;
            }
        }
        if (deadline.passed() || base::interrupted()) {
            return std::nullopt;
        }
        std::this_thread::sleep_for(between_looks);
    }
}

}  // namespace staithe::space
