#include "transport/channel/channel.hpp"

#include <bit>
#include <utility>

#include "transport/channel/shared_channel.hpp"
#include "transport/channel/socket_channel.hpp"
#include "transport/frame.hpp"

namespace staithe::transport {
namespace {

constexpr const char* in_memory = "memory";
constexpr std::int64_t most_slots = std::int64_t{1} << 32;

base::Result<std::uint64_t> slots_in(const Attributes& description, const std::string& field) {
    const Value* const value = find(description, field);
    const std::int64_t slots = value != nullptr ? value->as_int().value_or(0) : 0;
    if (slots < static_cast<std::int64_t>(ring_slots(0)) || slots > most_slots ||
        !std::has_single_bit(static_cast<std::uint64_t>(slots))) {
        return base::fail(ErrorCode::protocol, "a director described a channel with {} = {}", field, slots);
    }
    return static_cast<std::uint64_t>(slots);
}

}  // namespace

bool sees_memory(const Attributes& description) { return text_of(description, "way") == in_memory; }

base::Result<std::shared_ptr<Channel>> open_channel(const Attributes& description,
                                                    std::vector<os::FileDescriptor> descriptors, EventLoop& loop) {
    const auto down = slots_in(description, "down_slots");
    const auto up = slots_in(description, "up_slots");
    if (!down || !up) {
        return base::fail(down ? up : down);
    }
    const std::string way = text_of(description, "way");
    if (way == in_memory && descriptors.size() == 3) {
        return open_shared_channel({*down, *up}, std::move(descriptors[0]),
                                   {std::move(descriptors[1]), std::move(descriptors[2])});
    }
    if (way == "socket" && descriptors.size() == 1) {
        return open_socket_channel({*down, *up}, std::move(descriptors[0]), loop);
    }
    return base::fail(ErrorCode::protocol, "a director described a channel by way of '{}' with {} descriptors", way,
                      descriptors.size());
}

}  // namespace staithe::transport
