// What is known of a part of an array before it is coded: how a few of its values are, coded the fastest way.
#pragma once

#include <cstdint>

#include <staithe/transform.hpp>

#include "transform/scratch.hpp"

namespace staithe::transform {

struct Region {
    std::int64_t bytes = 0;
    double share = 0.5;  // of its bytes that a sample of them took, coded; where nobody looked, the same for all
};

/// Looks at about a twenty-fifth of the values: at boxes of neighbours from all over the array. Bounds other than
/// absolute ones are as good as exact. An array of few values is not looked at: that would take as long as coding it.
[[nodiscard]] Region look_at(const ArrayView& array, const codecs::Bound& bound, std::optional<double> fill,
                             Scratch& scratch);

}  // namespace staithe::transform
