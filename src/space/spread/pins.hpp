// What was found stays where it lies, also when the server is gone that has pinned it: those that have the blocks are
// asked to hold them. They give none of them to others for some seconds after a server has gone.
//
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "space/served/server_group.hpp"
#include "space/served/server_link.hpp"
#include "store/space/version_blocks.hpp"
#include "transport/errands.hpp"

namespace staithe::space {

class Pins {
  public:
    explicit Pins(std::shared_ptr<ServerGroup> group) : state_(std::make_shared<State>(std::move(group))) {}

    /// What holds as `pin` of that server does, for as long.
    std::shared_ptr<const void> keep(const std::shared_ptr<ServerLink>& server, std::shared_ptr<const void> pin,
                                     std::span<const store::space::VersionBlock> blocks);

  private:
    struct Pin {
        std::shared_ptr<const void> by_finder;
        std::vector<store::space::BlockPlace> places;
        std::mutex mutex;
        std::vector<std::shared_ptr<const void>> by_holders;  // once the finder is gone
    };
    struct OfServer {
        std::shared_ptr<transport::Link::CloseHandler> closing;
        std::vector<std::weak_ptr<Pin>> pins;
        std::size_t live_at_most = 64;  // before those that have gone are looked for
    };
    struct State {
        explicit State(std::shared_ptr<ServerGroup> servers) : group(std::move(servers)) {}
        const std::shared_ptr<ServerGroup> group;
        std::mutex mutex;
        std::map<const ServerLink*, OfServer> servers;
        transport::Errands errands;
    };
    static void hold_again(State& state, std::span<const std::weak_ptr<Pin>> pins);
    static void hold(ServerGroup& group, Pin& pin);

    const std::shared_ptr<State> state_;
};

}  // namespace staithe::space
