// Where the blocks of a live stream are, and the best way to each of them.
#pragma once

#include <memory>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "store/block_source.hpp"
#include "stream/directing/membership.hpp"

namespace staithe::stream::live {

struct Stores {
    std::shared_ptr<store::BlockSource> source;
    bool are_far = false;  // some of them: what is fetched is worth fetching ahead
};
/// Of all writer ranks: their pools, where this host has them; and connections, once they are needed, to the processes
/// of other hosts that hold the rest.
base::Result<Stores> find_stores(Membership& membership, const base::Deadline& deadline);

}  // namespace staithe::stream::live
