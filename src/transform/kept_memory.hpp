// Memory that coding gives back and soon takes again.
//
// What malloc has returned to the kernel comes back cleared, a page at a time, on first touch: for a part of 1 MiB that
// can take as long as to code it. So each thread keeps some of what it gave back last, until it ends, and all of them
// together some payloads.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <vector>

namespace staithe::transform {

/// For pieces aligned to cache lines at most, which may be given back by another thread than took them.
std::pmr::memory_resource* kept_memory();

/// Gives memory back to where it was taken from.
struct ReturnMemory {
    static constexpr std::size_t alignment = 64;

    std::pmr::memory_resource* to = nullptr;
    std::size_t bytes = 0;

    void operator()(std::byte* memory) {
        to->deallocate(memory, bytes, alignment);
        bytes = 0;
    }
};
using TakenMemory = std::unique_ptr<std::byte, ReturnMemory>;

/// So many bytes, aligned to cache lines, undefined.
inline TakenMemory take_from(std::pmr::memory_resource& memory, std::size_t bytes) {
    auto* const taken = static_cast<std::byte*>(memory.allocate(bytes, ReturnMemory::alignment));
    return {taken, ReturnMemory{&memory, bytes}};
}

/// No bytes, and room for so many at least: that of a payload that was given back, if one has about as much.
std::vector<std::byte> bytes_with_room(std::size_t room);

/// A payload that nobody needs any more.
void give_back(std::vector<std::byte> payload);

}  // namespace staithe::transform
