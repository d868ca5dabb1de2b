// How readers find a step, and what was written down for them. Pure values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "store/block_ref.hpp"
#include "stream/describing/step_table.hpp"

namespace staithe::stream {

/// What is written down for members: where those see it that map the director's segment, and the same for the others.
struct Written : Place {
    const std::byte* data = nullptr;  // as long as it is not forgotten

    [[nodiscard]] std::span<const std::byte> content() const {
        return {data, data == nullptr ? 0 : static_cast<std::size_t>(bytes)};
    }
};

struct StepEntry {
    std::uint64_t layout = 0;
    std::optional<store::BlockRef> block;  // the only one of the step, which has no attributes: there is no table
    Written table;
};

}  // namespace staithe::stream
