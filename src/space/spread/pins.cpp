#include "space/spread/pins.hpp"

#include <algorithm>
#include <utility>

#include "memory/pool.hpp"
#include "space/served/messages.hpp"
#include "store/space/home.hpp"

namespace staithe::space {
namespace {

/// For servers that live.
constexpr base::Seconds time_to_answer{2.0};

}  // namespace

std::shared_ptr<const void> Pins::keep(const std::shared_ptr<ServerLink>& server, std::shared_ptr<const void> pin,
                                       std::span<const store::space::VersionBlock> blocks) {
    const auto kept = std::make_shared<Pin>();
    kept->by_finder = std::move(pin);
    for (const store::space::VersionBlock& block : blocks) {
        if (block.ref.bytes > memory::Pool::small_limit) {  // small ones lie with the finder: its memory stays mapped
            kept->places.push_back(store::space::place_of(block.ref));
        }
    }
    if (kept->places.empty()) {
        return kept;
    }
    const std::lock_guard lock(state_->mutex);
    OfServer& of = state_->servers[server.get()];
    if (of.closing == nullptr) {
        of.closing = server->on_close([weak = std::weak_ptr(state_), key = server.get()] {
            const auto state = weak.lock();
            if (state == nullptr) {
                return;
            }
            const std::lock_guard state_lock(state->mutex);
            auto pins = state->servers[key].pins;
            state->servers.erase(key);
            static_cast<void>(state->errands.add([weak, pins = std::move(pins)] {
                if (const auto self = weak.lock()) {
                    hold_again(*self, pins);
                }
            }));
        });
    }
    if (of.pins.size() >= of.live_at_most) {
        std::erase_if(of.pins, [](const std::weak_ptr<Pin>& each) { return each.expired(); });
        of.live_at_most = std::max<std::size_t>(64, 2 * of.pins.size());
    }
    of.pins.push_back(kept);
    return kept;
}

void Pins::hold_again(State& state, std::span<const std::weak_ptr<Pin>> pins) {
    for (const auto& weak : pins) {
        if (const auto pin = weak.lock()) {
            hold(*state.group, *pin);
        }
    }
}

void Pins::hold(ServerGroup& group, Pin& pin) {
    std::map<int, List> by_server;
    for (const auto& [store, offset] : pin.places) {
        List& places = by_server[store::space::holder_of(store, group.size())];
        places.emplace_back(store);
        places.emplace_back(offset);
    }
    for (auto& [rank, places] : by_server) {
        const base::Deadline soon(time_to_answer);
        const auto server = group.link(rank, soon);
        const std::int64_t ticket = server ? (*server)->next_ticket() : 0;
        const auto held =
            server ? (*server)->call({{"type", request::hold}, {"ticket", ticket}, {"places", std::move(places)}}, soon)
                   : base::fail(server);
        if (held) {
            const std::lock_guard lock(pin.mutex);
            pin.by_holders.emplace_back(nullptr, [server = *server, ticket](const void*) {
                server->notify({{"type", request::release}, {"ticket", ticket}});
            });
        }
    }
}

}  // namespace staithe::space
