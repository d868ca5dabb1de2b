// How a stream is opened. Plain values; every field has a default that works on a laptop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <staithe/box.hpp>
#include <staithe/group.hpp>
#include <staithe/value.hpp>

namespace staithe {

/// The queue holds at most `queue_steps` steps that readers have not released, and at most `queue_bytes` of
/// them. Two steps are always admitted (unless `queue_steps` is 1), so that writing and reading overlap.
///
/// What is not set here is taken from STAITHE_STREAMS (which `staithe run` sets from the workflow file), then
/// from the default that is named.
struct WriterOptions {
    Group group{};
    std::optional<int> queue_steps{};           // 8
    std::optional<std::int64_t> queue_bytes{};  // 256 MiB
    /// Reader groups that the stream waits for: steps are kept from the first on until as many have joined.
    std::optional<int> readers{};  // 1
    /// "producer" or "inline"; STAITHE_PLACEMENT, or "producer".
    std::optional<std::string> placement{};
    /// Bytes of this rank's part of a step, if known: that much is pre-faulted in the background per step of
    /// the queue, before the first step needs it.
    std::int64_t reserve_bytes = 0;
    /// Seconds that a call waits at most; STAITHE_TIMEOUT, or 60.
    std::optional<double> timeout{};
    /// Attributes of the stream; those of rank 0 count.
    Attributes attributes{};
};

struct ReaderOptions {
    Group group{};
    std::optional<double> timeout{};
    /// The name under which this reader group is shown; STAITHE_PROGRAM, or the executable's name.
    std::string program{};
};

/// What a put says besides the data. Offset and shape both unset: with one writer rank the block is the whole
/// variable, with several it is this rank's own local array.
struct PutOptions {
    std::optional<Extents> offset{};  // of the block in the variable, per dimension
    std::optional<Extents> shape{};   // of the whole variable
    std::string unit{};
    Attributes attributes{};
};

}  // namespace staithe
