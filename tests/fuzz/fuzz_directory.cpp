// What processes tell each other of what they have: messages to a process that knows of some things, and answers to one
// that asks.
#include <sys/socket.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "os/process_identity.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/heard.hpp"
#include "transport/directory/inquiry.hpp"
#include "transport/endpoint.hpp"
#include "transport/event_loop.hpp"

using namespace staithe;
using namespace staithe::transport;

namespace {

constexpr std::array kinds{Kind::stream, Kind::space, Kind::server, Kind::lease};

const os::ProcessIdentity teller{.boot = "00000001", .pid_namespace = 1, .pid = 1, .start_time = 1};

/// Both ends of a link of this process to itself.
struct Ends {
    std::shared_ptr<Link> caller, answerer;
};

/// Its answerer takes the caller for the teller.
Ends connected(const Link::RequestHandler& answer) {
    static const auto loop = EventLoop::start().value();
    std::array<int, 2> sockets{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0, "there are sockets");
    const int pid = os::this_process().pid;
    static const Session session(std::make_shared<Secret>());
    const auto ignore = [](const auto&, auto) {};
    const Link::Proved of_caller{session, ""};
    Ends ends{
        Link::start(*loop, os::FileDescriptor(sockets[0]), pid, ignore, Link::Trust::friendly, {}, of_caller).value(),
        Link::start(*loop, os::FileDescriptor(sockets[1]), pid, answer).value()};
    ends.answerer->trust({session, to_string(teller)}, {});
    return ends;
}

std::optional<Attributes> take_message(fuzz::Bytes& input) {
    const auto value = base::from_cbor(fuzz::take_part(input));
    return value && value->as_map() != nullptr ? std::optional(*value->as_map()) : std::nullopt;
}

void expect_sound(const Entry& entry, Kind kind) {
    fuzz::require(entry.kind == kind && check_name(kind, entry.name).has_value(), "a thing has a name that may be");
    fuzz::require(entry.socket().find('/') == std::string::npos, "a socket lies in the run directory");
    fuzz::require(!entry.told_by.empty(), "it is known who has told of it");
    const auto again = entry_from_json("again", kind, entry.name, to_json(entry));
    fuzz::require(again && again->process == entry.process && again->addresses == entry.addresses,
                  "what was believed can be passed on");
}

/// What a process is asked and told.
void ask(fuzz::Bytes input) {
    static const std::string directory = fuzz::directory_of_its_own();
    static const auto endpoint = [] {
        auto made = Endpoint::shared(directory).value();
        fuzz::require(made->offer("s", [](const auto&, const auto&) {}).has_value(), "it listens");
        const auto mine = own_entry(Kind::stream, "s", made->addresses(), made->self());
        fuzz::require(Directory(directory).publish(mine).has_value(), "there is a stream");
        return made;
    }();
    const Ends ends = connected([](const auto&, auto) {});
    while (!input.empty()) {
        if (const auto message = take_message(input)) {
            static_cast<void>(answer_inquiry(*endpoint, ends.answerer, *message));
        }
    }
    for (const Kind kind : kinds) {
        for (const Entry& entry : endpoint->heard().list(kind)) {
            expect_sound(entry, kind);
            fuzz::require(entry.process == teller, "a process speaks for itself alone");
            endpoint->heard().forget(kind, entry.name, ends.answerer);
        }
        fuzz::require(endpoint->heard().list(kind).empty(), "what was taken back is not known");
    }
    const auto own = Directory(directory).find(Kind::stream, "s");
    fuzz::require(own && *own && (*own)->process == os::this_process(), "the run directory is what it was");
}

/// What a process is answered.
void answer(fuzz::Bytes input) {
    const std::uint8_t choice = fuzz::take_byte(input);
    const Kind kind = kinds.at(choice % kinds.size());
    const auto message = take_message(input);
    if (!message) {
        return;
    }
    const Ends ends = connected(
        [&](const auto& link, const auto& request) { static_cast<void>(link->reply(request.id(), *message)); });
    const base::Deadline soon{base::Seconds(20.0)};
    if (choice < 128) {
        const auto entry = ask_for(*ends.caller, kind, "s", soon);
        if (entry && *entry) {
            expect_sound(**entry, kind);
        }
    } else if (const auto entries = ask_for_all(*ends.caller, kind, soon)) {
        for (const Entry& entry : *entries) {
            expect_sound(entry, kind);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    if (fuzz::take_byte(input) % 2 == 0) {
        ask(input);
    } else {
        answer(input);
    }
    return 0;
}
