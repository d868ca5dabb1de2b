// What goes over the socket between a PipedSource and the process that serves it: docs/formats/piped_blocks.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "store/block_ref.hpp"

namespace staithe::store::piped {

/// Asks for some of what is stored of a block.
struct Request {
    BlockRef ref;
    std::int64_t first = 0;  // byte of the block
    std::int64_t bytes = 0;
};
static_assert(sizeof(Request) == 40 && offsetof(Request, first) == 24 && offsetof(Request, bytes) == 32);

enum class Status : std::uint32_t {
    given = 0,    // the bytes follow
    refused = 1,  // a text follows, which says why
};

struct Reply {
    Status status = Status::given;  // any number, if it comes from another process
    std::uint32_t reserved = 0;
    std::int64_t bytes = 0;  // that follow
};
static_assert(sizeof(Reply) == 16 && offsetof(Reply, bytes) == 8);

constexpr std::int64_t longest_text = 4096;

/// `peer_lost` if the other end is closed, `timeout` if it takes or gives nothing more until the deadline.
base::Result<> send(const os::FileDescriptor& socket, std::span<const std::byte> bytes, const base::Deadline& deadline);
base::Result<> receive(const os::FileDescriptor& socket, std::span<std::byte> bytes, const base::Deadline& deadline);

template <class T>
std::span<const std::byte> bytes_of(const T& message) {
    return std::as_bytes(std::span(&message, 1));
}
template <class T>
std::span<std::byte> writable_bytes_of(T& message) {
    return std::as_writable_bytes(std::span(&message, 1));
}

}  // namespace staithe::store::piped
