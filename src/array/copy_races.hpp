// Which way to copy is fastest here, by the kind and size of the copy: found out while copying, kept for the process.
//
// The only state of this module. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "array/copy_kernels.hpp"
#include "array/race.hpp"

namespace staithe::array {

/// From this size on a copy outgrows what a core gets of the shared cache: its destination may be written past the
/// cache, which saves reading it first. Below it, a reader on another core gets the bytes out of the cache faster than
/// out of memory, and that is not seen while copying.
inline constexpr std::int64_t streaming_threshold = std::int64_t{24} << 20;

/// A kernel that fetches what comes next, or leaves that to the hardware.
struct CopyWay {
    const CopyKernel* kernel;
    bool fetches;

    void copy(std::byte* to, const std::byte* from, std::size_t size, std::int64_t ahead) const {
        kernel->copy(to, from, size, fetches ? ahead : 0);
    }
};

/// The ways that a race of runs or rows is between.
const std::vector<CopyWay>& copy_ways();

enum class CopyKind : std::uint8_t {
    run,
    /// The destination lies less than a line above the source, modulo a page: loads seem to depend on the stores just
    /// made, and some kernels slow down.
    aliased_run,
    rows,
    /// Between two ways: through the cache (0) and, if the copy may stream, past it (1).
    transposed,
};

/// The race of the copies of this kind whose runs are about so long. Where `may_stream` is false, among the ways that
/// leave the destination in the cache.
Race& race_of(CopyKind kind, std::int64_t run, bool may_stream);

/// Copies bytes that lie together. The two must not overlap.
void copy_bytes(std::byte* to, const std::byte* from, std::int64_t size, bool may_stream) noexcept;

}  // namespace staithe::array
