// Memory of one server for the steps of one stream whose writer ranks have lent none of it: they are elsewhere, keep
// what they write, and a depot fetches it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/block_ref.hpp"

namespace staithe::stream {

/// The blocks of one writer rank in one step, where they lie now.
struct Consignment {
    int rank = 0;
    std::string contact;  // of the rank's process
    std::vector<store::BlockRef> blocks;
};

/// Where the blocks of a consignment go, from its place on: behind each other, each at a multiple of 64 bytes.
struct Stowage {
    std::vector<std::int64_t> offsets;
    std::int64_t bytes = 0;  // of all, with what lies between
};
/// `protocol` if their sizes are none.
base::Result<Stowage> stow(const std::vector<store::BlockRef>& blocks);

class Depot {
  public:
    /// Told where the consignment lies. `limit_reached`: there is no memory for it now; `peer_lost`: its rank is gone,
    /// or the depot. Called from any thread, but not by `take`, and not once the depot has gone.
    using Then = std::function<void(const base::Result<std::int64_t>& place)>;

    Depot() = default;
    virtual ~Depot() = default;
    Depot(const Depot&) = delete;
    Depot& operator=(const Depot&) = delete;

    /// Consignments of one rank arrive in their order. They have bytes.
    virtual base::Result<> take(Consignment consignment, Then then) = 0;
    /// Nobody needs what lies there.
    virtual void free(std::int64_t place) = 0;
    /// No rank writes any more: memory that is not used goes back to the system from now on.
    virtual void shrink() = 0;
    /// Nobody waits for what is on its way.
    virtual void stop() = 0;
};

}  // namespace staithe::stream
