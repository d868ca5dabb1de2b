// What a depot is to fetch: the blocks of one writer rank in one step, and how they lie beside each other there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "store/block_ref.hpp"

namespace staithe::stream {

/// The blocks of one writer rank in one step, where they lie now.
struct Consignment {
    int rank = 0;
    std::string contact;  // of the rank's process
    std::vector<store::BlockRef> blocks;
};

/// As one server tells another one: docs/formats/stream_protocol.md.
Attributes encode(const Consignment& consignment);
/// `protocol` if it is none. What its blocks say is to be checked by who fetches them.
base::Result<Consignment> decode_consignment(const Attributes& body);

/// Where the blocks of a consignment go, from its place on: behind each other, each at a multiple of 64 bytes.
struct Stowage {
    std::vector<std::int64_t> offsets;
    std::int64_t bytes = 0;  // of all, with what lies between
};
/// `protocol` if their sizes are none.
base::Result<Stowage> stow(const std::vector<store::BlockRef>& blocks);

}  // namespace staithe::stream
