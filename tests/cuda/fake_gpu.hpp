// What libraries need that have a fake GPU do something.
#pragma once

#include <cstddef>
#include <functional>

#include "transform/cuda/api.hpp"

namespace staithe::testing::fake_gpu {

/// What a call of them returns: the failure that was ordered, or what is wrong with it.
int answer(bool is_right);
/// All of that is in one piece of the GPU's memory.
bool is_in_memory(const void* memory, std::size_t bytes);
bool is_the_stream(transform::cuda::Stream stream);
/// When somebody waits for it.
void begin(std::function<void()> work);

}  // namespace staithe::testing::fake_gpu
