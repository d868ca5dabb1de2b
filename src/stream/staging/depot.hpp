// Memory of one server for the steps of one stream whose writer ranks have lent none of it: they are elsewhere, keep
// what they write, and a depot fetches it.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "stream/staging/consignment.hpp"

namespace staithe::stream {

class Depot {
  public:
    /// Told where and how the consignment lies. `limit_reached`: there is no memory for it now; `peer_lost`: its rank
    /// is gone, or the depot. Called from any thread, but not by `take`, and not once the depot has gone.
    using Then = std::function<void(const base::Result<Stowed>& stowed)>;

    Depot() = default;
    virtual ~Depot() = default;
    Depot(const Depot&) = delete;
    Depot& operator=(const Depot&) = delete;

    /// Consignments of one rank arrive in their order. They have bytes.
    virtual base::Result<> take(Consignment consignment, Then then) = 0;
    /// Not if its server is being drained: then nothing finds room there any more.
    [[nodiscard]] virtual bool takes_more() const { return true; }
    /// Nobody needs what lies there.
    virtual void free(std::int64_t place) = 0;
    /// No rank writes any more: memory that is not used goes back to the system from now on.
    virtual void shrink() = 0;
    /// Whether its server is, as far as is known.
    [[nodiscard]] virtual bool is_there() const { return true; }
    /// Nobody waits for what is on its way.
    virtual void stop() = 0;
};

}  // namespace staithe::stream
