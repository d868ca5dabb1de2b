// Arrays put together as one, as NumPy's stack and concatenate do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

#include "base/result.hpp"

namespace staithe::transform::expression {

struct Merge {
    bool stacks = false;    // along a new dimension; else one after the other along one that they have
    std::int64_t axis = 0;  // negative: counted from the end

    struct Placed {
        Extents shape{};                        // of the whole
        std::optional<std::size_t> new_axis{};  // which the arrays do not have
        std::vector<Box> places{};              // of each in the whole
    };
    /// Of arrays of these shapes, which are broadcast to be stacked. `invalid_argument` says why they do not go
    /// together.
    [[nodiscard]] base::Result<Placed> place(std::span<const Extents> shapes) const;
};

/// Nothing if the name is of no function that merges.
[[nodiscard]] std::optional<Merge> merge_of(std::string_view function);

/// Of arrays of which one is made: that of all, or what these are computed with.
[[nodiscard]] Dtype merged(Dtype a, Dtype b);

}  // namespace staithe::transform::expression
