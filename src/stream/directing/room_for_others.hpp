// What a server leaves free of its memory where a writer rank of its host asks for more. Every rank is to have room for
// two steps, one that is read and one that is written, or it could never complete what the others have written; and
// what a rank has it keeps, to use it again and again. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/directing/step_queue.hpp"

namespace staithe::stream {

/// What ranks have of a server's memory: each of its own host alone, those elsewhere together.
struct RankMemory {
    std::vector<int> ranks;
    std::int64_t bytes = 0;
};

/// None, as long as the rank, which asks for so many bytes, has not more than it is to have.
[[nodiscard]] std::int64_t room_for_others(const StepQueue& queue, int rank, std::int64_t bytes,
                                           const std::vector<RankMemory>& memories);

/// The rank has ended its part of a step that others have yet to complete.
[[nodiscard]] bool is_ahead(const StepQueue& queue, int rank);

}  // namespace staithe::stream
