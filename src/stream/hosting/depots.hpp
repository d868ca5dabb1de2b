// The depots that this server has for streams which other servers direct. Used in the endpoint's thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "stream/holding/block_offer.hpp"
#include "stream/staging/own_depot.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::stream {

class Depots {
  public:
    explicit Depots(std::shared_ptr<transport::Endpoint> endpoint)
        : state_(std::make_shared<State>(std::move(endpoint))) {}

    /// False if it is no request of a depot.
    bool handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet);
    /// Takes nothing more.
    void drain() { is_draining_ = true; }
    /// Bytes, by stream.
    [[nodiscard]] std::map<std::string, std::int64_t> bytes() const;
    /// The streams that need what is here.
    [[nodiscard]] std::set<std::string> in_use() const;

  private:
    using Key = std::pair<transport::Link*, std::string>;
    struct Kept {
        std::string stream;
        std::uint32_t store = 0;
        std::shared_ptr<OwnDepot> depot;
        std::shared_ptr<BlockOffer> offer;
        std::shared_ptr<transport::Link::CloseHandler> closing;  // of the link to the server that directs the stream
    };
    struct State {
        explicit State(std::shared_ptr<transport::Endpoint> shared) : endpoint(std::move(shared)) {}
        void remove(const Key& key);

        // Outlives what has gone, which owns it, too. Whoever is its last owner waits for its thread, and that may be
        // waiting here, for `past`.
        const std::shared_ptr<transport::Endpoint> endpoint;
        mutable std::mutex mutex;
        std::map<Key, Kept> kept;
        transport::Errands past;  // what has gone may still wait for its thread
    };

    base::Result<Attributes> found(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    void take(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet);
    [[nodiscard]] std::shared_ptr<OwnDepot> depot_of(const Key& key) const;

    std::atomic<bool> is_draining_{false};
    const std::shared_ptr<State> state_;
};

}  // namespace staithe::stream
