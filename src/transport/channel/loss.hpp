// When the process at the other end of a channel is gone, or the way to it.
//
// Its link tells of that, and where the channel has a connection of its own, that one tells, too. What a process said
// last may come by one after its end has come by the other: so the end of a link is believed once that of the channel
// has come as well, or cannot be waited for any more.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "transport/channel/channel.hpp"
#include "transport/event_loop.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

/// Has `callback` called once, in the loop's thread, as long as what this returns lives, and told how the peer was
/// lost, as `how_lost` says it. What came by the channel before can be received then. nullptr, and never called, if the
/// link has ended already.
std::shared_ptr<void> when_lost(Link& link, const std::shared_ptr<Channel>& channel, EventLoop& loop,
                                std::function<void(const std::string& how)> callback);

/// For messages: "died", or "is lost: …" if more is known of why.
std::string how_lost(const Link& link);

}  // namespace staithe::transport
