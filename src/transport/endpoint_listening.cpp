// Where an endpoint listens, and whom it lets in.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/budget.hpp"
#include "base/config.hpp"
#include "base/log.hpp"
#include "os/file_system.hpp"
#include "os/files.hpp"
#include "os/fork.hpp"
#include "os/process_identity.hpp"
#include "os/socket.hpp"
#include "os/tcp.hpp"
#include "transport/connection_room.hpp"
#include "transport/endpoint.hpp"
#include "transport/group_contact.hpp"

namespace staithe::transport {
namespace {

// Between two looks for a descriptor, where none is left and nobody could be told.
constexpr auto out_of_descriptors = std::chrono::milliseconds(1);

// As users write it: not at all, and at every address.
constexpr std::string_view nowhere = "off";
constexpr const char* everywhere = ":0";

base::Failure takes_no_more(const base::Failure& reason) {
    return {ErrorCode::limit_reached, "takes no more connections now: " + reason.message};
}

base::Result<base::Claim> claim_connection() {
    return base::claim(base::Resource::connections, 1, "accept a connection");
}

void refuse(const os::FileDescriptor& socket, const base::Failure& reason) {
    const auto frame = encode_frame({{"refused", static_cast<int>(reason.code)}, {"message", reason.message}}, 0);
    static_cast<void>(os::send_some(socket, *frame, {}));
}

}  // namespace

base::Result<> Endpoint::listen_at(const std::string& place) {
    const std::lock_guard lock(mutex_);
    return open_port(place);
}

struct Endpoint::Listening {
    explicit Listening(std::shared_ptr<Endpoint> its) : endpoint(std::move(its)) {}
    ~Listening() {
        const std::lock_guard lock(endpoint->mutex_);
        endpoint->close_unused_ports();
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

    const std::shared_ptr<Endpoint> endpoint;
};

base::Result<std::shared_ptr<void>> Endpoint::keep_listening(const std::optional<std::string>& listen) {
    const auto place = listen ? listen : base::place_to_listen();
    const std::lock_guard lock(mutex_);
    if (!place || *place == nowhere) {
        return nullptr;
    }
    if (auto opened = open_port(*place); !opened) {
        if (listen || opened.error().code != ErrorCode::already_exists) {
            return base::fail(std::move(opened));
        }
        base::log(base::LogLevel::info, "does not listen for other hosts: {}", opened.error().message);
        return nullptr;
    }
    auto kept = listening_.lock();
    if (!kept) {
        kept = os::kept_at_home(new Listening(shared_from_this()));
        listening_ = kept;
    }
    return kept;
}

base::Result<std::shared_ptr<void>> Endpoint::keep_listening_for_group() {
    if (base::place_to_listen() == nowhere) {
        return nullptr;
    }
    if (const auto key = key_for_group(); !key) {  // which makes it
        return base::fail(key);
    }
    auto kept = keep_listening(std::nullopt);
    return kept && !*kept ? keep_listening(everywhere) : std::move(kept);
}

/// The mutex is held, as in all that follows up to `accept`.
std::optional<std::string> Endpoint::place_to_listen(const std::optional<std::string>& chosen) const {
    if (const auto place = chosen ? chosen : base::place_to_listen()) {
        return *place == nowhere ? std::nullopt : place;
    }
    const bool is_shared =
        base::environment("STAITHE_RUN_DIR") == run_directory_ && os::may_be_shared_between_hosts(run_directory_);
    return is_shared || !told_by_groups().empty() ? std::optional<std::string>(everywhere) : std::nullopt;
}

base::Result<> Endpoint::listen_for_other_hosts(const std::optional<std::string>& chosen) {
    const auto place = place_to_listen(chosen);
    auto opened = place ? open_port(*place) : base::Result<>();
    if (!opened && !chosen && !base::place_to_listen()) {  // it may not be needed: all may run on this host
        base::log(base::LogLevel::warn, "cannot be reached from other hosts: {}", opened.error().message);
        return {};
    }
    return opened;
}

base::Result<> Endpoint::listen_at_socket() {
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
    auto listener = watch(*std::move(socket));
    if (!listener) {
        return base::fail(std::move(listener));
    }
    spare_ = os::spare_descriptor();
    socket_name_ = *std::move(name);
    listener_ = *std::move(listener);
    return {};
}

base::Result<> Endpoint::open_port(const std::string& place) {
    if (ports_.contains(place)) {
        return {};
    }
    auto port = parse_place_to_listen(place);
    if (!port) {
        return base::fail(std::move(port));
    }
    const auto key = key_for("listen at " + place, Key::IfMissing::make);
    if (!key) {
        return base::fail(key);
    }
    auto socket = os::listen_at_port(port->host, port->port);
    const auto number = socket ? os::port_of(*socket) : base::fail(socket);
    auto listener = number ? watch(*std::move(socket)) : base::fail(number);
    if (!listener) {
        return base::fail(std::move(listener));
    }
    base::log(base::LogLevel::debug, "listens at port {} for processes of other hosts", *number);
    key_of_ports_ = *key;
    ports_.emplace(place, Port{port->host, *number, *std::move(listener)});
    return {};
}

base::Result<Endpoint::Listener> Endpoint::watch(os::FileDescriptor listening) {
    const int descriptor = listening.get();  // open as long as it is watched
    return loop_->watch(std::move(listening), [weak = weak_from_this(), descriptor] {
        const auto self = weak.lock();
        return self && self->accepts(os::BorrowedDescriptor(descriptor));
    });
}

void Endpoint::stop_listening() {
    if (!socket_name_.empty()) {
        os::remove_file(run_directory_ + "/" + socket_name_);
        socket_name_.clear();
    }
    close_unused_ports();
}

void Endpoint::close_unused_ports() {
    // Who has joined from another host may still have to connect for what is left.
    const bool awaits_somebody =
        std::ranges::any_of(awaited_, [](const auto& entry) { return !entry.second.expired(); });
    if (services_.empty() && listening_.expired() && !awaits_somebody) {
        ports_.clear();
    }
}

std::vector<Address> Endpoint::addresses() const {
    const std::lock_guard lock(mutex_);
    std::vector<Address> addresses{Address(Address::SocketFile{socket_name_})};
    for (const auto& [place, port] : ports_) {
        const bool is_any = port.host.empty() || port.host == "::";
        const bool is_any_ipv4 = port.host == "0.0.0.0";
        for (const std::string& host :
             is_any || is_any_ipv4 ? os::own_network_addresses() : std::vector<std::string>{port.host}) {
            const bool is_ipv6 = host.find(':') != std::string::npos;
            if (!(is_any_ipv4 && is_ipv6) && addresses.size() < most_addresses) {
                addresses.emplace_back(Address::HostPort{host, port.number});
            }
        }
    }
    return addresses;
}

base::Result<Endpoint::SharedKey> Endpoint::key_for(const std::string& action, Key::IfMissing then) const {
    if (auto told = key_of_groups()) {
        return told;
    }
    // A run directory that nobody chose is of this host alone: what lies there is for groups that pass it on.
    const bool is_chosen = base::environment("STAITHE_RUN_DIR") == run_directory_;
    auto key = key_ ? base::Result<SharedKey>(key_)
                    : Key::of_run_directory(run_directory_, is_chosen ? then : Key::IfMissing::leave);
    if (key && !*key) {
        return base::fail(ErrorCode::system,
                          "cannot {} without a key, which both sides must have: set STAITHE_KEY_FILE to a copy of one "
                          "made with `staithe key`, or STAITHE_RUN_DIR to a directory that the hosts share",
                          action);
    }
    return key;
}

base::Result<Endpoint::SharedKey> Endpoint::key_for_group() const {
    const auto told = key_of_groups();
    if (told || key_) {
        return told ? told : key_;
    }
    return Key::of_run_directory(run_directory_, Key::IfMissing::make);
}

/// Whoever could not be taken in, the next one may be.
bool Endpoint::accepts(const os::FileDescriptor& listener) {
    try {
        accept(listener);
    } catch (const std::exception& error) {
        base::log(base::LogLevel::error, "a process could not connect: {}", error.what());
    }
    return true;
}

void Endpoint::accept(const os::FileDescriptor& listener) {
    const std::lock_guard lock(mutex_);
    auto socket = os::accept_from(listener);
    if (!socket) {
        if (socket.error().code == ErrorCode::limit_reached && !make_room(socket.error())) {
            turn_away(listener, socket.error());
        }
        return;
    }
    if (auto admitted = admit(*std::move(socket)); !admitted) {
        base::log(level_of_strangers_.next(), "a process could not connect: {}", admitted.error().message);
    }
}

/// Strangers keep nobody else out.
bool Endpoint::make_room(const base::Failure& reason) {
    const auto stranger = strangers_.any();
    if (stranger) {
        let_go(stranger, reason);
    }
    return stranger != nullptr;
}

/// The mutex is held.
base::Result<base::Claim> Endpoint::claim_link() {
    const auto room = check_room_for_link(strangers_.count());
    return room ? claim_connection() : base::fail(room);
}

base::Result<> Endpoint::check_room_for_member() {
    const std::lock_guard lock(mutex_);
    return check_room_for_channel(strangers_.count());
}

void Endpoint::let_go(const std::shared_ptr<Link>& stranger, const base::Failure& reason) {
    accepted_.erase(stranger);  // here, since `forget` would wait for the lock that this thread has
    stranger->refuse(takes_no_more(reason));
}

// A connection that is not taken would keep the loop's thread awake.
void Endpoint::turn_away(const os::FileDescriptor& listener, const base::Failure& reason) {
    spare_ = os::FileDescriptor();
    if (const auto socket = os::accept_from(listener)) {
        refuse(*socket, takes_no_more(reason));
        // Who was turned away tries again many times a second.
        base::log(level_of_strangers_.next(), "a process was told to try again: {}", reason.message);
    } else {
        std::this_thread::sleep_for(out_of_descriptors);
    }
    spare_ = os::spare_descriptor();
}

/// nullptr: who connected has nothing to prove.
base::Result<std::shared_ptr<Gate>> Endpoint::gate_for(const os::FileDescriptor& socket) const {
    if (os::is_tcp(socket)) {
        return std::make_shared<Gate>(key_of_ports_, Parties{"", to_string(os::this_process())});
    }
    const auto caller = os::credentials_of(socket);
    const auto proves = caller ? must_prove(*caller, own_credentials(), key_) : base::fail(caller);
    if (!proves) {
        return base::fail(proves);
    }
    return *proves ? std::make_shared<Gate>(key_, Parties{party(*caller), party(own_credentials())}) : nullptr;
}

base::Result<> Endpoint::admit(os::FileDescriptor socket) {
    const auto gate = gate_for(socket);
    if (!gate) {
        refuse(socket, gate.error());
        return base::fail(gate);
    }
    base::Claim connection;
    if (*gate == nullptr) {  // a stranger's is claimed once it is none
        auto claimed = claim_link();
        if (!claimed) {
            refuse(socket, takes_no_more(claimed.error()));
            return base::fail(std::move(claimed));
        }
        connection = *std::move(claimed);
    }
    const bool is_of_this_host = !os::is_tcp(socket);
    const Peer peer{"", is_of_this_host ? self_.host : os::peer_address_of(socket),
                    is_of_this_host ? os::credentials_of(socket)->pid : 0};
    auto link = start_link(std::move(socket), peer, *gate, std::move(connection), std::nullopt);
    if (!link) {
        return base::fail(std::move(link));
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
    if (*gate) {
        const auto room = check_room_for_stranger(strangers_.count());
        if (const auto excess = room ? strangers_.excess() : strangers_.any()) {
            let_go(excess, room ? base::Failure{ErrorCode::limit_reached,
                                                "too many have called that have not proved "
                                                "yet that they have the key"}
                                : room.error());
        }
        strangers_.add(*link, *gate);
    }
    return {};
}

/// In the loop's thread, without the mutex.
void Endpoint::hold_back(const std::shared_ptr<Link>& link, Gate& gate, const Packet& packet) {
    const std::string purpose = text_of(packet.body, "purpose");
    const auto awaiting = purpose.empty() ? nullptr : this->awaiting(gate.caller(), purpose);
    if (!purpose.empty() && !awaiting) {
        link->refuse({ErrorCode::not_found, "awaits no such connection any more"});
        return;
    }
    auto answer = gate.answer(packet.body, awaiting ? awaiting->token : "");
    if (!answer) {
        base::log(level_of_strangers_.next(), "{} was refused: {}", to_string(link->peer()), answer.error().message);
        link->refuse(refusal_of_strangers());
        return;
    }
    if (!gate.is_open()) {
        static_cast<void>(link->reply(packet.id(), std::move(answer)));
        return;
    }
    auto connection = [&] {
        const std::lock_guard lock(mutex_);
        return awaiting ? claim_connection() : claim_link();
    }();
    if (!connection) {
        link->refuse(takes_no_more(connection.error()));
        return;
    }
    if (awaiting) {
        if (auto let_in = let_further_connection_in(link, packet, *awaiting, *std::move(connection)); !let_in) {
            link->refuse(takes_no_more(let_in.error()));
        }
        return;
    }
    static_cast<void>(link->reply(packet.id(), std::move(answer)));  // the last that has no seal
    const bool is_between_hosts = link->is_between_hosts();
    link->trust({*gate.session(), is_between_hosts ? gate.caller() : ""}, *std::move(connection));
    if (is_between_hosts) {
        link->keep_up(*loop_);
        const std::lock_guard lock(mutex_);
        std::erase_if(callers_, [](const auto& entry) { return entry.second.expired(); });
        callers_.emplace(gate.caller(), link);
    }
}

void Endpoint::forget(const std::shared_ptr<Link>& link) {
    const std::lock_guard lock(mutex_);
    accepted_.erase(link);
}

}  // namespace staithe::transport
