#include "transport/connection_room.hpp"

#include <algorithm>

#include "base/budget.hpp"
#include "os/descriptor_room.hpp"

namespace staithe::transport {
namespace {

/// Of `ulimit -n`. More than so many are not opened at once, whatever the limit.
constexpr std::int64_t part_kept = 8;
constexpr std::int64_t most_kept = 32;
constexpr std::int64_t kept_when_scarce = 4;  // times as many

std::int64_t reserve(std::int64_t most) { return std::min(most / part_kept, most_kept); }

/// So many never keep each other out, so that who has the key has the time to prove it.
constexpr std::int64_t few_strangers = 2;

/// So many halves of the reserve are kept.
base::Result<> check_room(int halves, std::int64_t strangers) {
    const auto [unused, most] = os::descriptor_room();
    const std::int64_t left = unused + strangers;
    const std::int64_t kept = halves * reserve(most) / 2;
    if (left > kept) {
        return {};
    }
    return base::fail(ErrorCode::limit_reached,
                      "{} of the {} file descriptors that this process may have are open, and the others are kept for "
                      "those that are connected; raise the limit with `ulimit -n`",
                      most - left, most);
}

}  // namespace

base::Result<> check_room_for_link(std::int64_t strangers) { return check_room(4, strangers); }

base::Result<> check_room_for_stranger(std::int64_t strangers) {
    return strangers < few_strangers ? base::Result<>() : check_room(1, 0);
}

base::Result<> check_room_for_channel(std::int64_t strangers) {
    constexpr std::int64_t of_channel_and_blocks = 2;
    return base::has_room(base::Resource::connections, of_channel_and_blocks)
               ? check_room(2, strangers)
               : tl::unexpected(base::no_room(base::Resource::connections, of_channel_and_blocks,
                                              "let a process of another host in"));
}

bool are_connections_scarce() {
    const auto [left, most] = os::descriptor_room();
    const std::int64_t connections = base::used(base::Resource::connections);
    return left < kept_when_scarce * reserve(most) || !base::has_room(base::Resource::connections, connections);
}

}  // namespace staithe::transport
