#include "transport/endpoint.hpp"

#include <utility>

#include <staithe/version.hpp>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"

namespace staithe::transport {
namespace {

constexpr std::int64_t protocol_version = 1;

struct Shared {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<Endpoint>> by_directory;
};

Shared& shared_endpoints() {
    static Shared endpoints;
    return endpoints;
}

std::string text_of(const Attributes& body, const std::string& name) {
    const Value* value = find(body, name);
    return value != nullptr && value->as_string() != nullptr ? *value->as_string() : std::string();
}

/// Names come from the system and may be any bytes; messages carry text.
std::string printable(const std::string& name) { return base::check(name) ? name : "unnamed"; }

base::Result<> check_user(const os::FileDescriptor& socket, int& pid) {
    const auto credentials = os::credentials_of(socket);
    if (!credentials) {
        return base::fail(credentials);
    }
    if (credentials->uid != os::user_id()) {
        return base::fail(ErrorCode::system, "process {} at the other end belongs to user {}, this one to {}",
                          credentials->pid, credentials->uid, os::user_id());
    }
    pid = credentials->pid;
    return {};
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

base::Result<std::shared_ptr<Endpoint>> Endpoint::shared(const std::string& run_directory) {
    if (auto made = os::make_private_directory(run_directory); !made) {
        return base::fail(std::move(made));
    }
    auto& endpoints = shared_endpoints();
    const std::lock_guard lock(endpoints.mutex);
    auto& entry = endpoints.by_directory[run_directory];
    auto endpoint = entry.lock();
    // After fork() the child has the parent's endpoint, but not its thread.
    if (!endpoint || endpoint->self_.pid != os::process_id()) {
        auto loop = EventLoop::start();
        if (!loop) {
            return base::fail(std::move(loop));
        }
        const Peer self{printable(base::program_name(os::executable_name())), printable(os::host_name()),
                        os::process_id(), STAITHE_VERSION};
        base::log_as(self.program, self.pid);
        endpoint.reset(new Endpoint(run_directory, self, *std::move(loop)));
        entry = endpoint;
    }
    return endpoint;
}

Endpoint::Endpoint(std::string run_directory, Peer self, std::unique_ptr<EventLoop> loop)
    : run_directory_(std::move(run_directory)), self_(std::move(self)), loop_(std::move(loop)) {}

Endpoint::~Endpoint() {
    if (!socket_name_.empty()) {
        os::remove_file(run_directory_ + "/" + socket_name_);
    }
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

base::Result<> Endpoint::listen() {
    if (listener_) {
        return {};
    }
    const std::string name = fmt::format("{}.socket", self_.pid);
    auto socket = os::listen_at(run_directory_, name);
    if (!socket) {
        return base::fail(std::move(socket));
    }
    auto watch = loop_->watch(*std::move(socket), [weak = weak_from_this()] {
        const auto self = weak.lock();
        return self && self->accept();
    });
    if (!watch) {
        return base::fail(std::move(watch));
    }
    spare_ = os::spare_descriptor();
    socket_name_ = name;
    listener_ = *std::move(watch);
    return {};
}

bool Endpoint::accept() {
    const std::lock_guard lock(mutex_);
    auto socket = os::accept_from(os::BorrowedDescriptor(listener_->descriptor()));
    int pid = 0;
    if (!socket && socket.error().code == ErrorCode::limit_reached) {
        // A connection that is not taken would keep this thread awake. The other side sees it closed, and tries again.
        spare_ = os::FileDescriptor();
        static_cast<void>(os::accept_from(os::BorrowedDescriptor(listener_->descriptor())));
        spare_ = os::spare_descriptor();
        base::log(base::LogLevel::warn, "a process could not connect: {}", socket.error().message);
    }
    if (!socket || !check_user(*socket, pid)) {
        return true;
    }
    const auto weak = weak_from_this();
    auto link = Link::start(*loop_, *std::move(socket), pid, [weak](const std::shared_ptr<Link>& from, Packet packet) {
        if (const auto self = weak.lock()) {
            self->handle(from, std::move(packet));
        }
    });
    if (!link) {
        base::log(base::LogLevel::error, "a process could not connect: {}", link.error().message);
        return true;
    }
    auto handler = (*link)->on_close([weak, closed = std::weak_ptr<Link>(*link)] {
        const auto self = weak.lock();
        const auto gone = closed.lock();
        if (self && gone) {
            self->forget(gone);
        }
    });
    if (handler) {
        accepted_.emplace(*link, std::move(handler));
    }
    return true;
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
    const Value* id = find(packet.body, "id");
    auto checked = check_version(packet.body, peer);
    base::Result<Attributes> answer = greeting();
    if (!checked) {
        answer = base::fail(std::move(checked));
    }
    static_cast<void>(link->reply(id != nullptr ? id->as_int().value_or(0) : 0, std::move(answer)));
}

void Endpoint::handle(const std::shared_ptr<Link>& link, Packet packet) {
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
    } else if (const Value* id = find(packet.body, "id")) {
        static_cast<void>(link->reply(
            id->as_int().value_or(0),
            base::fail(ErrorCode::not_found, "{} has no stream '{}' (any more)", to_string(self_), service)));
    }
}

base::Result<> Endpoint::offer(const std::string& name, Link::RequestHandler handler) {
    const std::lock_guard lock(mutex_);
    if (auto listening = listen(); !listening) {
        return listening;
    }
    if (!services_.emplace(name, std::move(handler)).second) {
        return base::fail(ErrorCode::already_exists, "this process already writes a stream '{}'", name);
    }
    return {};
}

void Endpoint::withdraw(const std::string& name) {
    const std::lock_guard handling(handling_);
    const std::lock_guard lock(mutex_);
    services_.erase(name);
}

base::Result<std::shared_ptr<Link>> Endpoint::connect(const std::string& socket_name, const base::Deadline& deadline) {
    {
        const std::lock_guard lock(mutex_);
        if (auto link = connected_[socket_name].lock(); link && link->is_open()) {
            return link;
        }
    }
    auto socket = os::connect_to(run_directory_, socket_name);
    if (!socket) {
        return base::fail(std::move(socket));
    }
    int pid = 0;
    if (auto checked = check_user(*socket, pid); !checked) {
        return base::fail(std::move(checked));
    }
    auto link =
        Link::start(*loop_, *std::move(socket), pid, [weak = weak_from_this()](const auto& from, Packet packet) {
            if (const auto self = weak.lock()) {
                self->handle(from, std::move(packet));
            }
        });
    if (!link) {
        return link;
    }
    auto answer = (*link)->call(greeting(), {}, deadline);
    if (!answer) {
        return base::fail(std::move(answer));
    }
    const Peer peer{text_of(answer->body, "program"), text_of(answer->body, "host"), pid,
                    text_of(answer->body, "version")};
    (*link)->set_peer(peer);
    if (auto checked = check_version(answer->body, peer); !checked) {
        return base::fail(std::move(checked));
    }
    const std::lock_guard lock(mutex_);
    // Two threads may have connected at once; the later one takes the first one's link.
    auto& entry = connected_[socket_name];
    if (auto earlier = entry.lock(); earlier && earlier->is_open()) {
        return earlier;
    }
    entry = *link;
    return link;
}

}  // namespace staithe::transport
