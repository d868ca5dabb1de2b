#include "array/strided_copy.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "array/copy_plan.hpp"
#include "array/copy_races.hpp"
#include "array/short_runs.hpp"
#include "array/transpose.hpp"
#include "base/rounding.hpp"

namespace staithe::array {
namespace {

// From this length on, rows are worth choosing a way for.
constexpr std::int64_t shortest_raced_row = 512;

template <class Work>
void nest(const CopyPlan& plan, const Work& work) {
    nest(std::span(plan.loops.data(), plan.depth), plan.destination, plan.source, work);
}

/// Copies a plan in the way that wins the race: `copy(part, way)` some turns of its outermost loop, `grain` at least.
template <class Copy>
void race(Race& race, const CopyPlan& plan, std::int64_t grain, const Copy& copy) {
    const Loop& outermost = plan.loops.front();
    const std::int64_t grains = base::quotient_up(outermost.count, grain);
    race.run(grains, plan.total / grains, [&](int way, std::int64_t first, std::int64_t count) {
        CopyPlan part = plan;
        part.destination += first * grain * outermost.destination;
        part.source += first * grain * outermost.source;
        part.loops.front().count = std::min(count * grain, outermost.count - first * grain);
        copy(part, way);
    });
}

void copy_rows(const CopyPlan& plan, bool may_stream) {
    const auto run = static_cast<std::size_t>(plan.run);
    if (plan.run < shortest_raced_row) {
        nest(plan, [run](std::byte* to, const std::byte* from) { std::memcpy(to, from, run); });
        return;
    }
    const std::int64_t to_next_row = plan.loops[plan.depth - 1].source;
    race(race_of(CopyKind::rows, plan.run, may_stream), plan, 1, [&](const CopyPlan& part, int choice) {
        const CopyWay& way = copy_ways()[static_cast<std::size_t>(choice)];
        nest(part, [&](std::byte* to, const std::byte* from) { way.copy(to, from, run, to_next_row); });
        if (way.kernel->streams) {
            finish_streaming();
        }
    });
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

void copy_transposed(CopyPlan plan, std::size_t along, bool may_stream) {
    std::swap(plan.loops[along], plan.loops[plan.depth - 2]);
    const std::int64_t grain = plan.depth > 2 ? 1 : transposed_band;
    race(race_of(CopyKind::transposed, plan.run, may_stream), plan, grain, [&](CopyPlan part, int choice) {
        const bool stream = choice == 1;
        part.depth -= 2;
        nest(part, Transpose{part.run, part.loops[part.depth + 1], part.loops[part.depth], stream});
        if (stream) {
            finish_streaming();
        }
    });
}

/// Of elements that lie densely in C order on both sides; else 0.
std::int64_t bytes_of_one_run(const MutableArrayView& destination, const ArrayView& source) {
    std::int64_t bytes = size_of(source.dtype);
    for (std::size_t i = source.dimensions(); i-- > 0 && bytes > 0;) {
        if (source.shape[i] != 1 && (source.strides[i] != bytes || destination.strides[i] != bytes)) {
            return 0;
        }
        bytes *= source.shape[i];
    }
    return bytes;
}

}  // namespace

void copy(const MutableArrayView& destination, const ArrayView& source, std::int64_t together) noexcept {
    assert(destination.shape == source.shape);
    assert(size_of(destination.dtype) == size_of(source.dtype));
    if (const std::int64_t bytes = bytes_of_one_run(destination, source); bytes > 0) {
        copy_bytes(static_cast<std::byte*>(destination.data), static_cast<const std::byte*>(source.data), bytes,
                   std::max(bytes, together) >= streaming_threshold);
        return;
    }
    const CopyPlan plan = plan_copy(destination, source);
    const bool may_stream = std::max(plan.total, together) >= streaming_threshold;
    if (plan.depth == 0) {
        if (plan.run > 0) {
            copy_bytes(plan.destination, plan.source, plan.run, may_stream);
        }
    } else if (plan.run > longest_short_run) {
        copy_rows(plan, may_stream);
    } else if (const std::size_t along = fastest_in_source(plan); along + 1 < plan.depth) {
        copy_transposed(plan, along, may_stream);
    } else {
        copy_short_runs(plan);
    }
}

}  // namespace staithe::array
