#include "transport/endpoint.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <staithe/version.hpp>

#include "base/budget.hpp"
#include "base/config.hpp"
#include "base/interruption.hpp"
#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/fork.hpp"
#include "os/process.hpp"
#include "os/process_identity.hpp"
#include "os/socket.hpp"
#include "transport/admission.hpp"

namespace staithe::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t protocol_version = 1;

// Connections that have not proved yet that they have the key. That takes them a millisecond.
constexpr std::size_t most_strangers = 16;

// Between two attempts to connect to a process that takes no more connections now, or none in.
constexpr auto shortest_pause = 1ms;
constexpr auto longest_pause = 50ms;

constexpr auto between_warnings = 1s;

struct Shared {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<Endpoint>> by_directory;
};

Shared& shared_endpoints() {
    static os::OnePerProcess<Shared> endpoints;
    return endpoints.get();
}

/// Names come from the system and may be any bytes; messages carry text.
std::string printable(const std::string& name) { return base::check(name) ? name : "unnamed"; }

std::int64_t id_of(const Packet& packet) {
    const Value* id = find(packet.body, "id");
    return id != nullptr ? id->as_int().value_or(0) : 0;
}

base::Result<std::shared_ptr<const Key>> load_key() {
    const auto file = base::key_file();
    return file ? Key::load(*file) : base::Result<std::shared_ptr<const Key>>(nullptr);
}

base::Result<> check_version(const Attributes& body, const Peer& peer) {
    const Value* version = find(body, "protocol");
    if (version == nullptr || version->as_int() != protocol_version) {
        return base::fail(ErrorCode::protocol,
                          "{} runs a version of Staithe that speaks another protocol: use one version on both sides",
                          to_string(peer));
    }
    return {};
}

}  // namespace

base::Result<> check_environment() {
    if (auto level = base::check_log_level(); !level) {
        return level;
    }
    const auto chosen = base::environment("STAITHE_RUN_DIR");
    return chosen ? os::check_chosen_run_directory(*chosen) : base::Result<>();
}

base::Result<std::shared_ptr<Endpoint>> Endpoint::shared(const std::string& run_directory) {
    if (auto checked = check_environment(); !checked) {
        return base::fail(std::move(checked));
    }
    if (auto limits = base::refresh_limits(); !limits) {
        return base::fail(std::move(limits));
    }
    const auto reach = base::key_file() ? os::Reach::group : os::Reach::user;
    if (auto made = os::make_run_directory(run_directory, reach); !made) {
        return base::fail(std::move(made));
    }
    auto& endpoints = shared_endpoints();
    const std::lock_guard lock(endpoints.mutex);
    auto& entry = endpoints.by_directory[run_directory];
    auto endpoint = entry.lock();
    if (endpoint) {
        return endpoint;
    }
    auto key = load_key();
    if (!key) {
        return base::fail(std::move(key));
    }
    auto loop = EventLoop::start();
    if (!loop) {
        return base::fail(std::move(loop));
    }
    const Peer self{printable(base::program_name(os::executable_name())), printable(os::host_name()), os::process_id(),
                    STAITHE_VERSION};
    base::log_as(self.program, self.pid);
    endpoint = os::kept_at_home(new Endpoint(run_directory, self, *std::move(key), *std::move(loop)));
    entry = endpoint;
    return endpoint;
}

Endpoint::Endpoint(std::string run_directory, Peer self, std::shared_ptr<const Key> key,
                   std::unique_ptr<EventLoop> loop)
    : run_directory_(std::move(run_directory)), self_(std::move(self)), key_(std::move(key)), loop_(std::move(loop)) {}

Endpoint::~Endpoint() { remove_socket(); }

void Endpoint::remove_socket() {
    if (!socket_name_.empty()) {
        os::remove_file(run_directory_ + "/" + socket_name_);
        socket_name_.clear();
    }
}

base::Result<std::string> Endpoint::name_of_socket(int pid) {
    const auto process = os::identity_of(pid);
    return process ? base::Result<std::string>(to_string(*process) + ".socket") : base::fail(process);
}

std::string Endpoint::socket_name() const {
    const std::lock_guard lock(mutex_);
    return socket_name_;
}

Attributes Endpoint::greeting() const {
    return {{"protocol", protocol_version},
            {"program", self_.program},
            {"host", self_.host},
            {"pid", self_.pid},
            {"version", self_.version}};
}

os::PeerCredentials Endpoint::own_credentials() const { return {self_.pid, os::user_id()}; }

base::Result<> Endpoint::listen() {
    if (!socket_name_.empty()) {
        return {};
    }
    auto name = name_of_socket(self_.pid);
    if (!name) {
        return base::fail(std::move(name));
    }
    auto socket = os::listen_at(run_directory_, *name);
    if (!socket) {
        return base::fail(std::move(socket));
    }
    auto watch = loop_->watch(*std::move(socket), [weak = weak_from_this()] {
        const auto self = weak.lock();
        return self && self->accepts();
    });
    if (!watch) {
        return base::fail(std::move(watch));
    }
    spare_ = os::spare_descriptor();
    socket_name_ = *std::move(name);
    listener_ = *std::move(watch);
    return {};
}

/// Whoever could not be taken in, the next one may be.
bool Endpoint::accepts() {
    try {
        accept();
    } catch (const std::exception& error) {
        base::log(base::LogLevel::error, "a process could not connect: {}", error.what());
    }
    return true;
}

void Endpoint::accept() {
    const std::lock_guard lock(mutex_);
    const os::BorrowedDescriptor listener(listener_->descriptor());
    auto connection = base::claim(base::Resource::connections, 1, "accept a connection");
    auto socket = connection ? os::accept_from(listener) : base::fail(connection);
    if (!socket) {
        if (socket.error().code == ErrorCode::limit_reached) {
            turn_away(listener, socket.error());
        }
        return;
    }
    if (auto admitted = admit(*std::move(socket), *std::move(connection)); !admitted) {
        base::log(base::LogLevel::warn, "a process could not connect: {}", admitted.error().message);
    }
}

// A connection that is not taken would keep the loop's thread awake.
void Endpoint::turn_away(const os::FileDescriptor& listener, const base::Failure& reason) {
    spare_ = os::FileDescriptor();
    if (const auto socket = os::accept_from(listener)) {
        const auto frame = encode_frame({{"refused", static_cast<int>(ErrorCode::limit_reached)},
                                         {"message", "takes no more connections now: " + reason.message}},
                                        0);
        static_cast<void>(os::send_some(*socket, *frame, {}));
        // Who was turned away tries again many times a second.
        const auto now = base::Clock::now();
        const bool is_news = now - last_turned_away_ > between_warnings;
        base::log(is_news ? base::LogLevel::warn : base::LogLevel::debug, "a process was told to try again: {}",
                  reason.message);
        last_turned_away_ = now;
    } else {
        std::this_thread::sleep_for(shortest_pause);
    }
    spare_ = os::spare_descriptor();
}

base::Result<> Endpoint::admit(os::FileDescriptor socket, base::Claim connection) {
    const auto caller = os::credentials_of(socket);
    if (!caller) {
        return base::fail(caller);
    }
    auto gate = gate_for({*caller, own_credentials()}, key_);
    auto link = start_link(std::move(socket), std::move(connection), caller->pid,
                           gate ? *gate : std::make_shared<Gate>(nullptr, Parties{}));
    if (!link || !gate) {
        if (link) {
            (*link)->refuse(gate.error());
        }
        return link ? base::fail(std::move(gate)) : base::Result<>(base::fail(std::move(link)));
    }
    auto handler = (*link)->on_close([weak = weak_from_this(), closed = std::weak_ptr<Link>(*link)] {
        const auto self = weak.lock();
        const auto gone = closed.lock();
        if (self && gone) {
            self->forget(gone);
        }
    });
    if (handler) {
        accepted_.emplace(*link, std::move(handler));
    }
    if (!(*gate)->is_open()) {
        make_room_for_a_stranger(*link, *gate);
    }
    return {};
}

// Who never proves anything must not keep others out.
void Endpoint::make_room_for_a_stranger(const std::shared_ptr<Link>& link, const std::shared_ptr<Gate>& gate) {
    std::erase_if(strangers_, [](const auto& stranger) {
        const auto its_link = stranger.first.lock();
        const auto its_gate = stranger.second.lock();
        return !its_link || !its_link->is_open() || !its_gate || its_gate->is_open();
    });
    strangers_.emplace_back(link, gate);
    if (strangers_.size() > most_strangers) {
        if (const auto oldest = strangers_.front().first.lock()) {
            accepted_.erase(oldest);  // here, since `forget` would wait for the lock that this thread has
            oldest->refuse({ErrorCode::system, "it has not proved in time that it has the key"});
        }
        strangers_.pop_front();
    }
}

base::Result<std::shared_ptr<Link>> Endpoint::start_link(os::FileDescriptor socket, base::Claim connection, int peer,
                                                         const std::shared_ptr<Gate>& gate) {
    auto link = Link::start(
        *loop_, std::move(socket), peer,
        [weak = weak_from_this(), gate](const std::shared_ptr<Link>& from, Packet packet) {
            if (const auto self = weak.lock()) {
                self->handle(from, gate, std::move(packet));
            }
        },
        gate->is_open() ? Link::Trust::friendly : Link::Trust::stranger, std::move(connection));
    if (link) {
        (*link)->set_peer({"", self_.host, peer, ""});  // until it has introduced itself
    }
    return link;
}

void Endpoint::forget(const std::shared_ptr<Link>& link) {
    const std::lock_guard lock(mutex_);
    accepted_.erase(link);
}

void Endpoint::greet(const std::shared_ptr<Link>& link, const Packet& packet) {
    Peer peer = link->peer();  // its pid is the kernel's word, not the peer's
    peer.program = text_of(packet.body, "program");
    peer.host = text_of(packet.body, "host");
    peer.version = text_of(packet.body, "version");
    link->set_peer(peer);
    auto checked = check_version(packet.body, peer);
    base::Result<Attributes> answer = greeting();
    if (!checked) {
        answer = base::fail(std::move(checked));
    }
    static_cast<void>(link->reply(id_of(packet), std::move(answer)));
}

void Endpoint::hold_back(const std::shared_ptr<Link>& link, Gate& gate, const Packet& packet) {
    auto answer = gate.answer(packet.body);
    if (!answer) {
        base::log(base::LogLevel::warn, "{} of another user was refused: {}", to_string(link->peer()),
                  answer.error().message);
        link->refuse(refusal_of_strangers());
        return;
    }
    if (gate.is_open()) {
        link->trust();
    }
    static_cast<void>(link->reply(id_of(packet), std::move(answer)));
}

void Endpoint::handle(const std::shared_ptr<Link>& link, const std::shared_ptr<Gate>& gate, Packet packet) {
    if (!gate->is_open()) {
        hold_back(link, *gate, packet);
        return;
    }
    const std::string service = text_of(packet.body, "service");
    if (service.empty()) {
        greet(link, packet);
        return;
    }
    const std::lock_guard handling(handling_);
    Link::RequestHandler handler;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = services_.find(service); found != services_.end()) {
            handler = found->second;
        }
    }
    if (handler) {
        handler(link, std::move(packet));
    } else if (find(packet.body, "id") != nullptr) {
        static_cast<void>(link->reply(
            id_of(packet),
            base::fail(ErrorCode::not_found, "{} has no stream '{}' (any more)", to_string(self_), service)));
    }
}

base::Result<> Endpoint::offer(const std::string& name, Link::RequestHandler handler) {
    const std::lock_guard lock(mutex_);
    if (auto listening = listen(); !listening) {
        return listening;
    }
    if (!services_.emplace(name, std::move(handler)).second) {
        return base::fail(ErrorCode::already_exists,
                          "this process already writes a stream '{}': close that writer first (in Python, `with` does)",
                          name);
    }
    return {};
}

void Endpoint::withdraw(const std::string& name) {
    const std::lock_guard handling(handling_);
    const std::lock_guard lock(mutex_);
    services_.erase(name);
    // Not left to the destructor: the event loop may be this endpoint's last owner for a moment, and the process end
    // in that moment. Who has connected already is still listened to.
    if (services_.empty()) {
        remove_socket();
    }
}

std::shared_ptr<Link> Endpoint::link_to(const Address& address) {
    const std::lock_guard lock(mutex_);
    auto link = connected_[address].lock();
    return link && link->is_open() ? link : nullptr;
}

base::Result<std::shared_ptr<Link>> Endpoint::connect(const Address& address, const base::Deadline& deadline) {
    if (address.socket_file() == nullptr) {
        return base::fail(ErrorCode::system, "{} is at a port, which this version of Staithe does not reach",
                          to_string(address));
    }
    for (auto pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
        if (auto link = link_to(address)) {
            return link;
        }
        bool peer_is_full = false;
        auto link = connect_once(address, deadline, peer_is_full);
        // No attempt begins that has no time left: its failure would hide this one's reason.
        if (link || !peer_is_full || deadline.left() <= pause || base::interrupted()) {
            return link;
        }
        std::this_thread::sleep_for(pause);
    }
}

base::Result<std::shared_ptr<Link>> Endpoint::connect_once(const Address& address, const base::Deadline& deadline,
                                                           bool& peer_is_full) {
    const std::string& name = address.socket_file()->name;
    auto connection =
        base::claim(base::Resource::connections, 1, fmt::format("connect to {}/{}", run_directory_, name), deadline);
    if (!connection) {
        return base::fail(std::move(connection));
    }
    auto socket = os::connect_to(run_directory_, name);
    if (!socket) {
        peer_is_full = socket.error().code == ErrorCode::timeout;
        return base::fail(std::move(socket));
    }
    const auto listener = os::credentials_of(*socket);
    if (!listener) {
        return base::fail(listener);
    }
    const Parties parties{own_credentials(), *listener};
    const auto gate = gate_for(parties, key_);
    if (!gate) {
        return base::fail(gate);
    }
    auto link = start_link(*std::move(socket), *std::move(connection), listener->pid, *gate);
    if (!link) {
        return link;
    }
    if (auto introduced = introduce(**link, **gate, parties, deadline); !introduced) {
        peer_is_full = introduced.error().code == ErrorCode::limit_reached;
        return base::fail(std::move(introduced));
    }
    const std::lock_guard lock(mutex_);
    // Two threads may have connected at once; the later one takes the first one's link.
    auto& entry = connected_[address];
    if (auto earlier = entry.lock(); earlier && earlier->is_open()) {
        return earlier;
    }
    entry = *link;
    return link;
}

// What goes before all else on a connection: proofs, where the other side is another user's, then greetings.
base::Result<> Endpoint::introduce(Link& link, Gate& gate, const Parties& parties, const base::Deadline& deadline) {
    if (!gate.is_open()) {
        if (auto proved = prove(link, *key_, parties, deadline); !proved) {
            return proved;
        }
        gate.open();
        link.trust();
    }
    const auto answer = link.call(greeting(), {}, deadline);
    if (!answer) {
        return base::fail(answer);
    }
    const Peer peer{text_of(answer->body, "program"), text_of(answer->body, "host"), parties.listener.pid,
                    text_of(answer->body, "version")};
    link.set_peer(peer);
    return check_version(answer->body, peer);
}

}  // namespace staithe::transport
