// Tiles of an array that a GPU codes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transform/cuda/gpu.hpp"
#include "transform/plan.hpp"

namespace staithe::transform::cuda {

/// Starts the kernel of the elements for so many jobs, which lie in the GPU's memory; their bytes are written there.
using Launch = std::function<base::Result<>(const TileJob* jobs, std::size_t count, unsigned* bytes)>;

/// Codes the tiles of those numbers. `coded[number]` is what came of each; nothing where it is left to the CPU.
base::Result<> encode_batch(Gpu& gpu, const Launch& launch, const Plan& plan, const codecs::EncodeOptions& options,
                            const std::vector<std::int64_t>& numbers, const base::Deadline& deadline,
                            std::vector<std::vector<std::byte>>& coded);

}  // namespace staithe::transform::cuda
