// The shape of a strided copy, reduced to what matters: how few loops, over how long runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <staithe/array_view.hpp>

namespace staithe::array {

struct Loop {
    std::int64_t count;
    std::int64_t destination;  // stride in bytes, never negative
    std::int64_t source;       // stride in bytes
};

struct CopyPlan {
    std::byte* destination = nullptr;
    const std::byte* source = nullptr;
    std::int64_t run = 0;    // bytes that lie together on both sides; 0: nothing to copy
    std::int64_t total = 0;  // bytes in all
    std::size_t depth = 0;
    std::array<Loop, max_dimensions> loops{};  // outermost first, by falling destination stride
};

/// Dimensions of length 1 are dropped, backward ones turned round, the rest ordered by destination and merged where
/// one continues the other. The views must agree in shape and in bytes per element.
CopyPlan plan_copy(const MutableArrayView& destination, const ArrayView& source) noexcept;

/// The same for elements of two dtypes: each is a run of its own.
CopyPlan plan_conversion(const MutableArrayView& destination, const ArrayView& source) noexcept;

/// The loop along which the source runs fastest. There is one at least.
std::size_t fastest_in_source(const CopyPlan& plan) noexcept;

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

}  // namespace staithe::array
