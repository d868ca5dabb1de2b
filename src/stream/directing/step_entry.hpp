// How readers find a step. Pure values.
#pragma once

#include <cstdint>
#include <optional>

#include "store/block_ref.hpp"
#include "stream/describing/step_table.hpp"

namespace staithe::stream {

struct StepEntry {
    std::uint64_t layout = 0;
    std::optional<store::BlockRef> block;  // the only one of the step, which has no attributes: there is no table
    Place table;
};

}  // namespace staithe::stream
