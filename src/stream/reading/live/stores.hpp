// Where the blocks of a live stream are, and the best way to each of them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <staithe/options.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "store/decoding_source.hpp"
#include "store/store_set.hpp"
#include "stream/directing/membership.hpp"

namespace staithe::stream::live {

struct Stores {
    std::shared_ptr<store::StoreSet> source;
    bool are_far = false;  // some of them: what is fetched is worth fetching ahead
};
/// What a reader is content with of values that come from other hosts.
struct Needs {
    Errors error;       // in the place of what the writer says
    std::string codec;  // the only one that is wanted; empty: whichever has them here sooner
};
/// Refuses what was encoded less finely than this reader wants it: by its writer, or on its way to a server.
[[nodiscard]] store::DecodingSource::Check acceptable_to(const Needs& needs, bool at_server);
/// In the place of a codec: nothing is to be encoded.
inline constexpr const char* no_codec = "none";

/// Of all writer ranks: their pools, where this host has them; and connections, once they are needed, to the processes
/// of other hosts that hold the rest.
base::Result<Stores> find_stores(Membership& membership, const Needs& needs, const base::Deadline& deadline);
/// Blocks may be with servers that have come to the stream since: their stores are added to those that are known. True
/// if some of these are far.
base::Result<bool> find_later_stores(Membership& membership, const Needs& needs, store::StoreSet& known,
                                     std::span<const store::BlockRef> blocks, base::Seconds patience);

}  // namespace staithe::stream::live
