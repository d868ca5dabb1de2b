#include "array/copy_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace staithe::array {
namespace {

bool is_inside(const Loop& a, const Loop& b) {
    return std::tuple(a.destination, std::abs(a.source)) < std::tuple(b.destination, std::abs(b.source));
}

bool continues(const Loop& outer, const Loop& inner) {
    return outer.destination == inner.destination * inner.count && outer.source == inner.source * inner.count;
}

CopyPlan plan(const MutableArrayView& destination, const ArrayView& source, bool join_elements) noexcept {
    CopyPlan plan;
    plan.destination = static_cast<std::byte*>(destination.data);
    plan.source = static_cast<const std::byte*>(source.data);
    if (is_empty(destination.shape)) {
        return plan;
    }
    plan.run = size_of(destination.dtype);
    plan.total = plan.run;

    std::array<Loop, max_dimensions> loops{};  // innermost first
    std::size_t used = 0;
    for (std::size_t i = 0; i < destination.dimensions(); ++i) {
        Loop loop{destination.shape[i], destination.strides[i], source.strides[i]};
        if (loop.count == 1) {
            continue;
        }
        plan.total *= loop.count;
        if (loop.destination < 0) {  // the order of copying is ours to choose
            plan.destination += loop.destination * (loop.count - 1);
            plan.source += loop.source * (loop.count - 1);
            loop.destination = -loop.destination;
            loop.source = -loop.source;
        }
        const auto end = loops.begin() + used++;
        const auto place = std::upper_bound(loops.begin(), end, loop, is_inside);
        std::move_backward(place, end, end + 1);
        *place = loop;
    }

    for (std::size_t i = 0; i < used; ++i) {
        const Loop& loop = loops[i];
        if (join_elements && plan.depth == 0 && loop.destination == plan.run && loop.source == plan.run) {
            plan.run *= loop.count;
        } else if (plan.depth > 0 && continues(loop, plan.loops[plan.depth - 1])) {
            plan.loops[plan.depth - 1].count *= loop.count;
        } else {
            plan.loops[plan.depth++] = loop;
        }
    }
    std::reverse(plan.loops.begin(), plan.loops.begin() + plan.depth);
    return plan;
}

}  // namespace

CopyPlan plan_copy(const MutableArrayView& destination, const ArrayView& source) noexcept {
    return plan(destination, source, true);
}

CopyPlan plan_conversion(const MutableArrayView& destination, const ArrayView& source) noexcept {
    return plan(destination, source, false);
}

std::size_t fastest_in_source(const CopyPlan& plan) noexcept {
    std::size_t fastest = plan.depth - 1;
    for (std::size_t i = 0; i + 1 < plan.depth; ++i) {
        if (std::abs(plan.loops[i].source) < std::abs(plan.loops[fastest].source)) {
            fastest = i;
        }
    }
    return fastest;
}

}  // namespace staithe::array
