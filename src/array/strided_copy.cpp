#include "array/strided_copy.hpp"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "array/copy_bytes.hpp"
#include "array/copy_plan.hpp"
#include "array/short_runs.hpp"
#include "array/transpose.hpp"

namespace staithe::array {
namespace {

// From this length on, writing rows past the cache while fetching the next row beats memcpy.
constexpr std::int64_t shortest_streamed_row = 2048;
// Where the rows of the source lie together the hardware fetches them by itself, and shorter rows pay, too.
constexpr std::int64_t shortest_streamed_dense_row = 512;

/// Runs `work(destination, source)` at every point of the loops.
template <class Work>
void nest(std::span<const Loop> loops, std::byte* destination, const std::byte* source, const Work& work) {
    if (loops.empty()) {
        work(destination, source);
        return;
    }
    const Loop& loop = loops.front();
    for (std::int64_t i = 0; i < loop.count; ++i) {
        nest(loops.subspan(1), destination + i * loop.destination, source + i * loop.source, work);
    }
}

void copy_rows(const CopyPlan& plan) {
    const std::span loops(plan.loops.data(), plan.depth);
    const auto run = static_cast<std::size_t>(plan.run);
    const std::int64_t to_next = loops.back().source;
    const bool dense = to_next == plan.run && plan.run < shortest_streamed_row;
    if (plan.total >= streaming_threshold &&
        plan.run >= (dense ? shortest_streamed_dense_row : shortest_streamed_row)) {
        const std::int64_t ahead = dense ? 0 : to_next;
        nest(loops, plan.destination, plan.source,
             [&](std::byte* to, const std::byte* from) { stream_bytes(to, from, run, ahead); });
        finish_streaming();
    } else {
        nest(loops, plan.destination, plan.source,
             [run](std::byte* to, const std::byte* from) { std::memcpy(to, from, run); });
    }
}

/// Four runs a turn, because the loop itself costs as much as a move.
template <class Run>
void copy_row_of_runs(const Run& run, Loop row, std::byte* to, const std::byte* from) {
    for (; row.count >= 4; row.count -= 4, to += 4 * row.destination, from += 4 * row.source) {
        run.copy(to, from);
        run.copy(to + row.destination, from + row.source);
        run.copy(to + 2 * row.destination, from + 2 * row.source);
        run.copy(to + 3 * row.destination, from + 3 * row.source);
    }
    for (; row.count > 0; --row.count, to += row.destination, from += row.source) {
        run.copy(to, from);
    }
}

void copy_short_runs(const CopyPlan& plan) {
    const std::span outer(plan.loops.data(), plan.depth - 1);
    const Loop inner = plan.loops[plan.depth - 1];
    with_short_run(plan.run, [&](const auto& run) {
        nest(outer, plan.destination, plan.source,
             [&](std::byte* to, const std::byte* from) { copy_row_of_runs(run, inner, to, from); });
    });
}

/// The loop along which the source runs fastest.
std::size_t fastest_in_source(const CopyPlan& plan) {
    std::size_t fastest = plan.depth - 1;
    for (std::size_t i = 0; i + 1 < plan.depth; ++i) {
        if (std::abs(plan.loops[i].source) < std::abs(plan.loops[fastest].source)) {
            fastest = i;
        }
    }
    return fastest;
}

void copy_transposed(CopyPlan plan, std::size_t along) {
    const Transpose transpose{plan.run, plan.loops[plan.depth - 1], plan.loops[along],
                              plan.total >= streaming_threshold};
    std::swap(plan.loops[along], plan.loops[plan.depth - 2]);
    nest(std::span(plan.loops.data(), plan.depth - 2), plan.destination, plan.source, transpose);
    if (transpose.stream) {
        finish_streaming();
    }
}

}  // namespace

void copy(const MutableArrayView& destination, const ArrayView& source) noexcept {
    assert(destination.shape == source.shape);
    assert(size_of(destination.dtype) == size_of(source.dtype));
    const CopyPlan plan = plan_copy(destination, source);
    if (plan.depth == 0) {
        if (plan.run > 0) {
            copy_bytes(plan.destination, plan.source, static_cast<std::size_t>(plan.run));
        }
    } else if (plan.run > longest_short_run) {
        copy_rows(plan);
    } else if (const std::size_t along = fastest_in_source(plan); along + 1 < plan.depth) {
        copy_transposed(plan, along);
    } else {
        copy_short_runs(plan);
    }
}

}  // namespace staithe::array
