// What readers and writers have in common when they open a stream: which rank of how many they are, and how long it may
// take.
#pragma once

#include <optional>

#include <staithe/group.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::stream {

base::Result<> check_group(const Group& group);

/// In seconds: for opening, and for peers that do not answer.
inline constexpr double default_timeout = 60.0;

/// The timeout that the user has chosen, in seconds: the argument, or STAITHE_TIMEOUT. Nothing: who waits for a living
/// peer goes on, and other waits end after `default_timeout`.
base::Result<std::optional<double>> resolve_timeout(std::optional<double> argument);

/// How long opening a stream may take.
struct OpeningTime {
    explicit OpeningTime(std::optional<double> chosen_timeout)
        : deadline(base::Seconds(chosen_timeout.value_or(default_timeout))), is_chosen(chosen_timeout.has_value()) {}

    base::Deadline deadline;
    /// By the user. Else the deadline is that of somebody to appear; a program that is known to come may take longer.
    bool is_chosen;

    /// Of a process that is there: it does not wait for others.
    [[nodiscard]] base::Deadline of_greetings() const {
        return is_chosen ? deadline : base::Deadline(base::Seconds(default_timeout));
    }
    /// For calls to those that are there.
    [[nodiscard]] base::Deadline of_answers() const {
        return is_chosen ? deadline : base::Deadline(base::Seconds(base::forever));
    }
};

}  // namespace staithe::stream
