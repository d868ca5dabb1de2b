// What this process may hold at most, over all its streams together.
//
// At a limit a call waits, with its deadline, where waiting can help: for readers to release steps, for a connection
// to end. Else, and when the deadline has passed, it throws LimitReached, which names the resource, the limit, what is
// held, and what to change. Nothing that is held already is taken back. Safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <staithe/export.hpp>

namespace staithe {

/// What is not set here is taken from STAITHE_LIMITS, a JSON map such as {"memory": "2 GiB", "connections": 100};
/// what is not there either is bounded by the queues of the streams and by the system alone.
struct Limits {
    /// Bytes that its writers' pools hold, used or kept for reuse; that it shares with devices, pins for a GPU or, as a
    /// device, keeps to encode for others; and that readers fetch of encoded blocks, until they are decoded.
    std::optional<std::int64_t> memory{};
    /// Open file descriptors: some for each process with open streams, one a connection, one a pool.
    std::optional<std::int64_t> descriptors{};
    /// Connections to other processes: one for each that shares a stream with this one, however many they share; with
    /// one on another host, further ones for each reader rank, for what it is told and for its blocks.
    std::optional<std::int64_t> connections{};
    /// Bytes of published steps that readers have not released, over all streams that this process writes. A stream
    /// of which at most one step is in flight may always begin another: else streams and readers could wait for each
    /// other.
    std::optional<std::int64_t> bytes_in_flight{};
    /// Bytes of steps to come that readers of this process have fetched from other hosts, or are fetching, before they
    /// are asked for; 256 MiB where nothing is set. 0: nothing is fetched ahead. Beyond it steps are fetched when they
    /// are read.
    std::optional<std::int64_t> prefetch{};
};

/// What this process holds now; the fields mean what those of Limits do.
struct Usage {
    std::int64_t memory = 0;
    std::int64_t descriptors = 0;
    std::int64_t connections = 0;
    std::int64_t bytes_in_flight = 0;
    std::int64_t prefetch = 0;
};

/// Replaces the limits that were set before. Throws InvalidArgument if one is negative, or STAITHE_LIMITS is wrong.
STAITHE_API void set_limits(const Limits& limits);

/// The limits that hold: those that were set, else those of STAITHE_LIMITS.
STAITHE_API Limits limits();

/// What this process holds now.
STAITHE_API Usage usage() noexcept;

/// Bytes from a text such as "256 MiB", "1.5 GB" or "4096", in any case, as STAITHE_LIMITS, workflows and Python take
/// them. Throws InvalidArgument if it is no amount.
STAITHE_API std::int64_t parse_bytes(std::string_view text);

}  // namespace staithe
