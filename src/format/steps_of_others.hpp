// Which dimension of arrays that other programs have written is that of steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/value.hpp>

namespace staithe::format {

struct SeenArray {
    std::string name;
    List dimensions;  // their names; null: it has none
    std::string unit{};
    std::int64_t length = 0;  // of the first one
    bool grows = false;       // along it, without limit
};

/// "step", else one without limit, else "time", else that of times, "… since …" (CF conventions), if it is the first
/// one of an array. Nothing if no array has such a one, or not all that have it are of one length, or it is longer than
/// there can be steps: all is one step.
[[nodiscard]] std::optional<std::string> dimension_of_steps(std::span<const SeenArray> arrays);

/// Whether it lies along that.
[[nodiscard]] bool lies_along(const List& dimensions, const std::optional<std::string>& steps);

/// Steps of others that have no numbers.
[[nodiscard]] std::vector<std::int64_t> numbered_from_zero(std::int64_t steps);

}  // namespace staithe::format
