// What goes over a connection between a RemoteSource and a BlockServer: docs/formats/remote_blocks.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "store/block_ref.hpp"
#include "store/remote/strided.hpp"

namespace staithe::store::remote {

constexpr std::uint16_t version = 1;

/// Asks for parts of blocks; `Wanted` for each of them follows.
struct RequestHeader {
    static constexpr std::uint32_t known_magic = 0x71427453;  // "StBq"
    std::uint32_t magic = known_magic;
    std::uint16_t version = remote::version;
    std::uint16_t reserved = 0;
    std::uint64_t id = 0;  // in its replies
    std::uint32_t pieces = 0;
    std::uint32_t bytes = 0;  // that follow
};
static_assert(sizeof(RequestHeader) == 24 && offsetof(RequestHeader, id) == 8 && offsetof(RequestHeader, bytes) == 20);

/// A part of a block, before its loops.
struct WantedHeader {
    BlockRef ref;
    std::int64_t first = 0;  // byte of the block
    std::int64_t run = 0;
    std::uint32_t loops = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(WantedHeader) == 48 && offsetof(WantedHeader, first) == 24 && offsetof(WantedHeader, loops) == 40);

enum class Status : std::uint16_t {
    given = 0,    // its bytes follow
    refused = 1,  // a text follows, which says why
};

/// Before what is sent for a piece.
struct ReplyHeader {
    static constexpr std::uint32_t known_magic = 0x72427453;  // "StBr"
    std::uint32_t magic = known_magic;
    std::uint16_t version = remote::version;
    Status status = Status::given;  // any number, if it comes from another process
    std::uint64_t id = 0;           // of the request
    std::uint32_t piece = 0;        // of the request
    std::uint32_t reserved = 0;
    std::int64_t bytes = 0;  // that follow
};
static_assert(sizeof(ReplyHeader) == 32 && offsetof(ReplyHeader, id) == 8 && offsetof(ReplyHeader, piece) == 16 &&
              offsetof(ReplyHeader, bytes) == 24);

constexpr std::size_t most_request_bytes = 64 << 10;  // after the header
constexpr std::size_t longest_text = 4096;

/// What is wanted of a block: bytes of what is stored of it.
struct Wanted {
    BlockRef ref;
    Runs runs;
};

/// What a reply answers.
struct Asked {
    std::uint64_t id = 0;
    std::uint32_t piece = 0;
    bool operator==(const Asked&) const = default;
};

/// Requests for the pieces, with ids from `id` on, and how the replies will name each of them.
struct Requests {
    std::vector<std::byte> bytes;
    std::vector<Asked> asked;
};
Requests encode_requests(std::span<const Wanted> pieces, std::uint64_t id);

/// The header of a request that begins with these bytes: `protocol` unless its numbers can be of one.
base::Result<RequestHeader> decode_request_header(std::span<const std::byte, sizeof(RequestHeader)> bytes);

/// What follows it. The loops are as they were sent: ask `fit`.
base::Result<std::vector<Wanted>> decode_wanted(const RequestHeader& header, std::span<const std::byte> body);

}  // namespace staithe::store::remote
