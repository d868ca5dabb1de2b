// What servers that go on for each other tell each other: changes of what one leads to the one that follows it, which
// then goes on with it; and all else that they say, to a server that is asked.
#include <sys/socket.h>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <staithe/limits.hpp>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "memory/pool.hpp"
#include "os/process_identity.hpp"
#include "server/changes.hpp"
#include "server/following.hpp"
#include "server/reception.hpp"
#include "transport/event_loop.hpp"
#include "transport/link.hpp"

using namespace staithe;

namespace {

/// What was understood can be told again, and is understood as the same.
void understand(const Attributes& change) {
    if (const auto told = server::decode_told_put(change)) {
        fuzz::require(fits(told->put.block.box, told->put.block.shape), "a block lies in its array");
        const auto again = server::decode_told_put(server::change_of("s", told->put, told->completion));
        fuzz::require(again && again->put.block == told->put.block && again->put.ref == told->put.ref &&
                          again->put.twin == told->put.twin && again->completion == told->completion,
                      "a put can be told again");
    }
    if (const auto state = server::decode_state(change)) {
        const auto again = server::decode_state(server::change_of("s", "v", 0, *state));
        fuzz::require(again && again->done == state->done && again->completion == state->completion,
                      "a state can be told again");
    }
    if (const auto told = server::decode_twin(change)) {
        const auto again = server::decode_twin(server::change_of("s", "v", 0, *told));
        fuzz::require(again && again->of == told->of && again->twin == told->twin, "a twin can be told again");
    }
}

/// Who follows, with room for a few small blocks.
class Follower {
  public:
    static constexpr std::uint32_t store = 5;
    static constexpr std::size_t most = 64;

    void take(const Attributes& change) {
        const auto put = server::decode_told_put(change);
        const bool is_small = put && put->put.ref.bytes <= memory::Pool::small_limit;
        const std::vector<std::byte> bytes(is_small ? static_cast<std::size_t>(put->put.ref.bytes) : 0);
        static_cast<void>(following_->take(change, bytes));
    }
    /// The leader is gone; of three servers two are left.
    void go_on() {
        following_->lead();
        std::map<std::string, std::unique_ptr<store::space::Catalog>> own;
        for (auto& [name, catalog] : following_->spaces()) {
            catalog->lose([](std::uint32_t of) { return of % 3 == 0; });
            own[name] = std::make_unique<store::space::Catalog>(name, [](const store::BlockRef& /*ref*/) {});
            own[name]->absorb(std::move(*catalog));
            for (const std::string& variable : own[name]->list("*")) {
                const auto found = own[name]->find({.variable = variable});
                fuzz::require(!found || *found == nullptr || (*found)->is_complete(), "what is found is complete");
                static_cast<void>(own[name]->find({.variable = variable, .after = 0}));
                static_cast<void>(own[name]->why_not({.variable = variable, .version = 1}));
            }
        }
        own.clear();
        following_ = nullptr;
        fuzz::require(kept_.empty(), "bytes of small blocks are freed with them");
    }

  private:
    std::set<std::int64_t> kept_;
    std::int64_t next_ = 0;
    std::unique_ptr<server::Following> following_ = std::make_unique<server::Following>(
        [this](std::span<const std::byte> bytes) -> base::Result<store::BlockRef> {
            if (kept_.size() == most) {
                return base::fail(ErrorCode::limit_reached, "no room");
            }
            kept_.insert(++next_);
            return store::BlockRef{.store = store, .offset = next_, .bytes = std::ssize(bytes)};
        },
        [this](const store::BlockRef& ref) {
            if (ref.store == store) {
                kept_.erase(ref.offset);
            }
        });
};

/// Of another server, which takes in what it is told and says nothing.
std::shared_ptr<transport::Link> link_of_a_server(std::shared_ptr<transport::Link>& other) {
    static const auto loop = transport::EventLoop::start().value();
    std::array<int, 2> sockets{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0, "there are sockets");
    const int pid = os::this_process().pid;
    const auto ignore = [](const auto&, auto) {};
    other = transport::Link::start(*loop, os::FileDescriptor(sockets[0]), pid, ignore).value();
    return transport::Link::start(*loop, os::FileDescriptor(sockets[1]), pid, ignore).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    set_limits({.memory = std::int64_t{1} << 20});
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    Follower follower;
    const auto reception = std::make_shared<server::Reception>(space::Member{"harbour", 1, 3});
    reception->keep_replicas();
    std::shared_ptr<transport::Link> other;
    const auto link = link_of_a_server(other);
    while (!input.empty()) {
        const auto value = base::from_cbor(fuzz::take_part(input));
        const Attributes* const message = value ? value->as_map() : nullptr;
        if (message == nullptr) {
            continue;
        }
        const auto change = message->find("change");
        if (change != message->end() && change->second.as_map() != nullptr) {
            understand(*change->second.as_map());
            follower.take(*change->second.as_map());
        }
        reception->handle(link, {*message, {}, {}});
        static_cast<void>(reception->describe());
    }
    follower.go_on();
    return 0;
}
