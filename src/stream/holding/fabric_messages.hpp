// What a reader asks a process for that holds blocks, and is told, to read them by RDMA: docs/formats/remote_blocks.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "store/block_ref.hpp"
#include "store/fabric/fabric_lane.hpp"

namespace staithe::stream::fabric {

/// What tells these requests from those for a connection: a field of this name, with one of these values.
inline constexpr const char* question = "fabric";
inline constexpr const char* agree = "agree";
inline constexpr const char* place = "place";

/// May the reader's process read by one of its providers, the best first? The owner is to be reached at that host: a
/// number of IPv4 or IPv6.
struct Wish {
    std::string host;
    std::vector<transport::fabric::Provider> providers;
};
Attributes encode(const Wish& wish);
base::Result<Wish> decode_wish(const Attributes& body);

Attributes encode(const store::fabric::Terms& terms);
/// Without the host, which the reader knows.
base::Result<store::fabric::Terms> decode_terms(const Attributes& body);

/// In which registered memory do these bytes of a store lie?
struct Bytes {
    std::uint32_t store = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};
Attributes encode(const Bytes& bytes);
base::Result<Bytes> decode_bytes(const Attributes& body);

Attributes encode(const transport::fabric::Place& place);
base::Result<transport::fabric::Place> decode_place(const Attributes& body);

}  // namespace staithe::stream::fabric
