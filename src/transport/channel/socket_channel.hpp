// A channel through a socket at each end, which carries what messages enclose, too (frames.hpp).
//
// What the socket does not take yet waits in memory, as many messages as a ring would have had slots.
#pragma once

#include <functional>
#include <memory>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "transport/channel/channel.hpp"
#include "transport/channel/shared_channel.hpp"
#include "transport/event_loop.hpp"

namespace staithe::transport {

/// What is sent waits until the connection to the member has come, and was attached.
struct SocketDirectorEnd {
    std::shared_ptr<Channel> channel;
    std::function<base::Result<>(os::FileDescriptor socket)> attach;
};
/// The member may enclose so many bytes with a message. `ring_switchboard` is called in the loop's thread when it has
/// sent something. The loop outlives the channel.
SocketDirectorEnd make_socket_channel(const ChannelSlots& slots, std::uint32_t may_enclose, EventLoop& loop,
                                      std::shared_ptr<Waitable> switchboard, std::function<void()> ring_switchboard);

base::Result<std::shared_ptr<Channel>> open_socket_channel(const ChannelSlots& slots, os::FileDescriptor socket,
                                                           EventLoop& loop);

}  // namespace staithe::transport
