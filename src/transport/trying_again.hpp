// Connecting to a process that may take nobody in now: again, until the deadline.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "base/deadline.hpp"
#include "base/interruption.hpp"
#include "base/result.hpp"

namespace staithe::transport {

/// Returns what `attempt(is_full)` does, which sets `is_full` if trying again may help. Where nothing was answered
/// after a refusal, or time was up before it was read, that is why: who is full has many callers.
template <class Attempt>
auto try_while_full(const base::Deadline& deadline, Attempt&& attempt) {
    constexpr std::chrono::milliseconds shortest_pause{1};
    constexpr std::chrono::milliseconds longest_pause{50};
    std::optional<decltype(attempt(std::declval<bool&>()))> refused;
    for (auto pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
        bool is_full = false;
        auto result = attempt(is_full);
        if (!result && refused && (result.error().code == ErrorCode::timeout || deadline.passed())) {
            return *std::move(refused);
        }
        // No attempt begins that has no time left: its failure would hide this one's reason.
        if (result || !is_full || deadline.left() <= pause || base::interrupted()) {
            return result;
        }
        refused.emplace(std::move(result));
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace staithe::transport
