#include "stream/directing/room_for_others.hpp"

#include <algorithm>

namespace staithe::stream {
namespace {

constexpr std::int64_t steps_of_each = 2;
// Of what a rank has: where its records lie, and small blocks.
constexpr std::int64_t beside_large_blocks = 256 << 10;

/// Like its part of the newest step; before there is one, like the largest part of the first that is known.
std::int64_t expected_part(const StepQueue& queue, int rank) {
    if (const std::int64_t newest = queue.newest_bytes(rank); newest > 0) {
        return newest;
    }
    const StepQueue::Step* const first = queue.oldest_incomplete();
    return first == nullptr ? 0 : std::ranges::max(first->bytes_of);
}

std::int64_t needed(const StepQueue& queue, const RankMemory& memory) {
    std::int64_t bytes = memory.ranks.empty() ? 0 : beside_large_blocks;
    for (const int rank : memory.ranks) {
        const std::int64_t part = expected_part(queue, rank);
        bytes += steps_of_each * (part + part / 8);  // blocks take whole pages, and more where sizes change
    }
    return bytes;
}

}  // namespace

std::int64_t room_for_others(const StepQueue& queue, int rank, std::int64_t bytes,
                             const std::vector<RankMemory>& memories) {
    std::int64_t room = 0;
    for (const RankMemory& memory : memories) {
        const std::int64_t lacking = needed(queue, memory) - memory.bytes;
        if (std::ranges::find(memory.ranks, rank) == memory.ranks.end()) {
            room += std::max<std::int64_t>(0, lacking);
        } else if (bytes <= lacking) {
            return 0;
        }
    }
    return room;
}

bool is_ahead(const StepQueue& queue, int rank) {
    const StepQueue::Step* const oldest = queue.oldest_incomplete();
    return oldest != nullptr && queue.has_ended_step(rank, oldest->number);
}

}  // namespace staithe::stream
