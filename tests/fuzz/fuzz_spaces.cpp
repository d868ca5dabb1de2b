// What programs, and other servers, ask of a server that keeps spaces, and what a program is answered.
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <staithe/limits.hpp>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "os/process_identity.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "transport/event_loop.hpp"
#include "transport/link.hpp"

using namespace staithe;

namespace {

/// Of a program, as a server has it; the program at the other end takes in what it is told and says nothing.
std::shared_ptr<transport::Link> link_of_a_program(std::shared_ptr<transport::Link>& program) {
    static const auto loop = transport::EventLoop::start().value();
    std::array<int, 2> sockets{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0, "there are sockets");
    const int pid = os::this_process().pid;
    const auto ignore = [](const auto&, auto) {};
    program = transport::Link::start(*loop, os::FileDescriptor(sockets[0]), pid, ignore).value();
    return transport::Link::start(*loop, os::FileDescriptor(sockets[1]), pid, ignore).value();
}

void ask(server::Reception& reception, const std::shared_ptr<transport::Link>& link, const Attributes& message) {
    const auto put = space::decode_put(message);  // its bytes come along, if they are few
    const std::int64_t bytes = put && put->block.data_bytes() <= space::most_enclosed ? put->block.data_bytes() : 0;
    reception.handle(link, {message, {}, std::vector<std::byte>(static_cast<std::size_t>(bytes))});
    const Attributes description = reception.describe();
    const Attributes* const spaces = description.at("spaces").as_map();
    fuzz::require(spaces != nullptr, "a server can be described at any time");
    for (const auto& [name, what] : *spaces) {
        fuzz::require(what.as_map()->at("bytes").as_int().value_or(-1) >= 0, "bytes are counted");
    }
}

/// What was understood can be said again, and is understood as the same. What follows may be enclosed in it.
void understand(const Attributes& message, std::vector<std::byte> enclosed) {
    if (const auto put = space::decode_put(message)) {
        fuzz::require(fits(put->block.box, put->block.shape), "a block lies in its array");
        fuzz::require(space::decode_put(space::encode(*put))->block == put->block, "a put can be passed on");
    }
    if (const auto found = space::decode_found(message, enclosed)) {
        for (const auto& block : found->blocks) {
            fuzz::require(fits(block.box, found->whole.shape), "what is found lies in its array");
        }
        std::vector<std::byte> table;
        const Attributes again = space::encode(*found, table);
        fuzz::require(space::decode_found(again, table)->blocks.size() == found->blocks.size(),
                      "what was found can be passed on");
    }
    if (const auto listed = space::decode_listed(message)) {
        fuzz::require(space::decode_listed(space::encode(*listed))->bytes == listed->bytes, "a list can be passed on");
    }
    if (const auto wish = space::decode_wish(message)) {
        const auto again = space::decode_wish(space::encode(*wish));
        fuzz::require(again && again->box == wish->box && again->mode == wish->mode, "a wish can be passed on");
    }
    if (const auto puts = space::decode_puts(message)) {
        std::vector<space::Parcel> parcels;
        for (const auto& put : *puts) {
            fuzz::require(fits(put.block.box, put.block.shape), "each of many blocks lies in its array");
            parcels.push_back({put});
        }
        const auto again = space::decode_puts(space::encode(parcels));
        fuzz::require(again && again->size() == puts->size(), "many puts can be passed on");
        for (std::size_t i = 0; i < puts->size(); ++i) {
            fuzz::require((*again)[i].block == (*puts)[i].block && (*again)[i].version == (*puts)[i].version,
                          "each of many puts is passed on as it is");
        }
    }
    if (const auto wanted = space::decode_wanted_many(message)) {
        const auto again = space::decode_wanted_many(space::encode(*wanted));
        fuzz::require(again && again->size() == wanted->size(), "what is wanted can be passed on");
    }
    for (const std::size_t expected : {1U, 2U}) {
        if (const auto found = space::decode_found_many(message, expected)) {
            for (const auto& each : *found) {
                for (std::size_t i = 0; each && *each && i < (*each)->blocks.size(); ++i) {
                    fuzz::require(fits((*each)->blocks[i].box, (*each)->whole.shape),
                                  "what is found lies in its array");
                }
            }
            const auto again = space::decode_found_many(space::encode(*found), expected);
            fuzz::require(again && again->size() == expected, "what was found of many can be passed on");
        }
    }
    if (const auto ways = space::decode_ways(message)) {
        fuzz::require(space::decode_ways(space::encode(*ways))->size() == ways->size(), "ways can be passed on");
    }
    static_cast<void>(space::decode_results(message, 1));
    static_cast<void>(space::decode_wanted(message));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    set_limits({.memory = std::int64_t{1} << 20});
    for (const int servers : {1, 3}) {
        fuzz::Bytes input = fuzz::bytes_of(data, size);
        const auto reception = std::make_shared<server::Reception>(space::Member{"harbour", servers - 1, servers});
        std::shared_ptr<transport::Link> program;
        const auto link = link_of_a_program(program);
        while (!input.empty()) {
            const auto value = base::from_cbor(fuzz::take_part(input));
            if (value && value->as_map() != nullptr) {
                understand(*value->as_map(), {input.begin(), input.end()});
                ask(*reception, link, *value->as_map());
                reception->look_at_clock();
            }
        }
    }
    return 0;
}
