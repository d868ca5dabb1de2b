// A channel through shared memory: a control segment for each member, which it and the director map, and nobody else.
//
//     offset 0    the member's bell
//     offset 64   the words that the director shows
//     offset 128  the words that the member shows
//     offset 192  the down ring, from the director; then the up ring
//
// The segment's size is sealed, and its descriptor closed once it is mapped.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "transport/channel/channel.hpp"
#include "transport/channel/doorbell.hpp"

namespace staithe::transport {

/// Messages that may be under way: powers of two.
struct ChannelSlots {
    std::uint64_t down = 0;  // from the director
    std::uint64_t up = 0;
};

struct SharedDirectorEnd {
    std::shared_ptr<Channel> channel;
    os::FileDescriptor segment;  // for the member
};
base::Result<SharedDirectorEnd> make_shared_channel(const ChannelSlots& slots, std::shared_ptr<Waitable> switchboard);

base::Result<std::shared_ptr<Channel>> open_shared_channel(const ChannelSlots& slots, os::FileDescriptor segment,
                                                           Doorbell::Button button);

}  // namespace staithe::transport
