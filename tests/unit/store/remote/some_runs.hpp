#pragma once

#include <initializer_list>
#include <span>

#include "store/remote/strided.hpp"

namespace staithe::store::remote {

inline Runs runs(std::int64_t first, std::int64_t run, std::initializer_list<Loop> loops) {
    return {first, run, PerDimension<Loop>(std::span<const Loop>(loops.begin(), loops.size()))};
}

}  // namespace staithe::store::remote
