// Structures of the header as bytes: what programs were compiled with stays as it is.
//
// A structure with a `struct_size` may be shorter or longer than this library's: the program was built with an older
// or a newer header. What it lacks is not given; what it has beyond must be empty, as the `_init` of this library left
// it, since it would ask for something that this library does not know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <staithe/staithe.h>
#include <staithe/error.hpp>

namespace staithe::capi {

/// The first `size` bytes of a filled structure; zero what is beyond it.
template <class T>
void fill(void* destination, std::size_t size, const T& filled) noexcept {
    std::memset(destination, 0, size);
    std::memcpy(destination, &filled, std::min(size, sizeof(T)));
}

/// Fills a structure that carries its size, with the program's idea of how large that is.
template <class T>
void initialise(T* structure, std::size_t size, const T& filled) noexcept {
    if (structure != nullptr && size >= sizeof(size)) {
        fill(structure, size, filled);
        structure->struct_size = size;
    }
}

/// The options as this library knows them; `unset` where nothing is given. `smallest` is the size that they had in the
/// first header with this STAITHE_ABI_VERSION.
template <class Options>
Options complete(const Options* options, const Options& unset, std::size_t smallest, const char* name) {
    if (options == nullptr) {
        return unset;
    }
    const std::size_t size = options->struct_size;
    const auto* bytes = reinterpret_cast<const unsigned char*>(options);
    // A size beyond any header's comes from memory that nobody has initialised.
    if (size < smallest || size > 64 * sizeof(Options)) {
        throw InvalidArgument(std::string("the struct_size of ") + name + " is " + std::to_string(size) +
                              ": fill it by " + name + "_init first");
    }
    if (size > sizeof(Options) &&
        std::any_of(bytes + sizeof(Options), bytes + size, [](int byte) { return byte != 0; })) {
        throw InvalidArgument(std::string("the program sets a field of ") + name +
                              " that this older library does not have: update libstaithe");
    }
    Options result = unset;
    std::memcpy(&result, options, std::min(size, sizeof(Options)));
    return result;
}

// The sizes of the first header with this STAITHE_ABI_VERSION, and of structures that never change.
inline constexpr std::size_t smallest_writer_options = 160;
inline constexpr std::size_t smallest_reader_options = 112;
inline constexpr std::size_t smallest_recorder_options = 56;
inline constexpr std::size_t smallest_put_options = 56;
inline constexpr std::size_t smallest_limits = 40;
inline constexpr std::size_t smallest_space_options = 88;
inline constexpr std::size_t smallest_space_put_options = 72;
inline constexpr std::size_t smallest_space_loan_options = 80;
static_assert(sizeof(staithe_array) == 144 && offsetof(staithe_array, shape) == 16);
static_assert(sizeof(staithe_selection) == 200 && offsetof(staithe_selection, count) == 136);
static_assert(sizeof(staithe_group) == 64 && offsetof(staithe_group, id) == 8);
static_assert(sizeof(staithe_block) == 136 && offsetof(staithe_block, offset) == 8);
static_assert(offsetof(staithe_writer_options, attributes) + sizeof(void*) == smallest_writer_options);
static_assert(offsetof(staithe_reader_options, program) + sizeof(void*) == smallest_reader_options);
static_assert(offsetof(staithe_recorder_options, resume) + 2 * sizeof(int32_t) == smallest_recorder_options);
static_assert(offsetof(staithe_put_options, attributes) + sizeof(void*) == smallest_put_options);
static_assert(offsetof(staithe_limits, bytes_in_flight) + sizeof(int64_t) == smallest_limits);
static_assert(offsetof(staithe_space_options, server) + sizeof(void*) == smallest_space_options);
static_assert(offsetof(staithe_space_put_options, overlap) + sizeof(int32_t) == smallest_space_put_options);
static_assert(offsetof(staithe_space_loan_options, persist) + 2 * sizeof(int32_t) == smallest_space_loan_options);
static_assert(offsetof(staithe_space_version, shape) == 40 && offsetof(staithe_space_version, completion) == 112);
static_assert(offsetof(staithe_put_failure, status) == 32);

}  // namespace staithe::capi
