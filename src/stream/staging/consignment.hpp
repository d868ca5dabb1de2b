// What a depot is to fetch: the blocks of one writer rank in one step, and how they lie beside each other there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "store/block_ref.hpp"
#include "stream/describing/schema.hpp"

namespace staithe::stream {

/// The blocks of one writer rank in one step, where they lie now.
struct Consignment {
    int rank = 0;
    std::string contact;  // of the rank's process
    std::vector<store::BlockRef> blocks;
    std::shared_ptr<const std::vector<BlockDescription>> descriptions;  // of each: `as_consigned`
};

/// Of blocks that a rank describes, what depots have to know: how their elements lie, and how far off they may be.
std::vector<BlockDescription> as_consigned(std::vector<BlockDescription> blocks);
/// `protocol` unless each of the blocks lies as its description says.
base::Result<> check(const Consignment& consignment);

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

/// A consignment that has come.
struct Stowed {
    std::int64_t place = 0;
    std::int64_t bytes = 0;               // of memory that it takes
    std::vector<store::BlockRef> blocks;  // in that memory, not of any store
};
/// As a server answers another one.
Attributes encode(const Stowed& stowed);
/// `protocol` if it is none of what was consigned, each block within the memory that it takes, or takes far more.
base::Result<Stowed> decode_stowed(const Attributes& body, const Consignment& consignment);

}  // namespace staithe::stream
