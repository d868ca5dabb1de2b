// What happens when a reader group does not keep up and the queue is full. Pure values.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace staithe::stream {

struct Overflow {
    enum class Policy : std::uint8_t { block, drop_oldest, drop_newest, keep_every, latest, compress, spill };

    Policy policy = Policy::block;
    std::int64_t every = 1;  // of keep_every

    /// Nothing is ever dropped.
    [[nodiscard]] bool is_lossless() const { return policy == Policy::block || is_of_writers(); }
    /// What is done with steps, not what a reader group may lose.
    [[nodiscard]] bool is_of_writers() const { return policy == Policy::compress || policy == Policy::spill; }
    /// The step, not taken by the group yet, may be dropped to make room for a newer one.
    [[nodiscard]] bool gives_way(std::int64_t step) const;
    /// The group need not get the step if there is no room for it.
    [[nodiscard]] bool may_miss(std::int64_t step) const;
    bool operator==(const Overflow&) const = default;
};

/// "block", "drop-oldest", "drop-newest", "keep-every-K", "latest", "compress", "spill".
base::Result<Overflow> parse_overflow(const std::string& text);
std::string to_string(const Overflow& overflow);

/// Steps can only be dropped in time if there is room for one beside the one that is read.
base::Result<> check_overflow(const Overflow& overflow, int queue_steps);

}  // namespace staithe::stream
