#include "transport/endpoint.hpp"

#include <algorithm>
#include <utility>

#include <staithe/version.hpp>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/fork.hpp"
#include "os/process.hpp"
#include "os/process_identity.hpp"
#include "transport/directory/inquiry.hpp"

namespace staithe::transport {
namespace {

constexpr std::int64_t protocol_version = 1;

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
    auto key = Key::of_environment();
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

Endpoint::Endpoint(std::string run_directory, Peer self, SharedKey key, std::unique_ptr<EventLoop> loop)
    : run_directory_(std::move(run_directory)), self_(std::move(self)), key_(std::move(key)), loop_(std::move(loop)) {}

Endpoint::~Endpoint() { stop_listening(); }

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
            {"version", self_.version},
            {"clock", std::chrono::nanoseconds(base::Clock::now().time_since_epoch()).count()}};
}

os::PeerCredentials Endpoint::own_credentials() const { return {self_.pid, os::user_id()}; }

base::Result<> Endpoint::take_greeting(Link& link, const Attributes& body) {
    Peer peer = link.peer();
    const Value* pid = find(body, "pid");
    if (link.is_between_hosts() && pid != nullptr) {
        peer.pid = static_cast<int>(std::clamp<std::int64_t>(pid->as_int().value_or(0), 0, INT32_MAX));
    }  // otherwise it is the kernel's word, not the peer's
    peer.program = text_of(body, "program");
    peer.host = text_of(body, "host");
    peer.version = text_of(body, "version");
    link.set_peer(peer);
    const Value* version = find(body, "protocol");
    if (version == nullptr || version->as_int() != protocol_version) {
        return base::fail(ErrorCode::protocol,
                          "{} runs a version of Staithe that speaks another protocol: use one version on both sides",
                          to_string(peer));
    }
    return {};
}

void Endpoint::greet(const std::shared_ptr<Link>& link, const Packet& packet) {
    auto checked = take_greeting(*link, packet.body);
    base::Result<Attributes> answer = greeting();
    if (!checked) {
        answer = base::fail(std::move(checked));
    }
    static_cast<void>(link->reply(packet.id(), std::move(answer)));
}

/// Looking may wait for whoever has locked the run directory, or for the server that it lies on. In the order in which
/// they came, since offers and their withdrawals are among them.
void Endpoint::answer_inquiry_later(const std::shared_ptr<Link>& link, Packet packet) {
    const bool is_asked = find(packet.body, "id") != nullptr;
    const std::int64_t id = packet.id();
    const auto answer = [link, is_asked, id](base::Result<Attributes> with) {
        if (is_asked) {
            static_cast<void>(link->reply(id, std::move(with)));
        } else if (!with) {
            base::log(base::LogLevel::warn, "{}", with.error().message);
        }
    };
    auto begun = looking_.add([weak = weak_from_this(), link, body = std::move(packet.body), answer] {
        if (const auto self = weak.lock()) {
            answer(answer_inquiry(*self, link, body));
        }
    });
    if (!begun) {
        answer(base::fail(std::move(begun)));
    }
}

void Endpoint::handle(const std::shared_ptr<Link>& link, Packet packet) {
    const std::string service = text_of(packet.body, "service");
    if (service.empty()) {
        greet(link, packet);
        return;
    }
    if (service == inquiry_service) {
        answer_inquiry_later(link, std::move(packet));
        return;
    }
    if (service == connections_service) {
        connect_as_asked(link, packet);
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
        static_cast<void>(link->reply(packet.id(), base::fail(ErrorCode::not_found, "{} has no stream '{}' (any more)",
                                                              to_string(self_), service)));
    }
}

base::Result<std::shared_ptr<Link>> Endpoint::start_link(os::FileDescriptor socket, Peer peer,
                                                         const std::shared_ptr<Gate>& gate, base::Claim connection,
                                                         const std::optional<Link::Proved>& proved) {
    auto link = Link::start(
        *loop_, std::move(socket), peer.pid,
        [weak = weak_from_this(), gate](const std::shared_ptr<Link>& from, Packet packet) {
            const auto self = weak.lock();
            if (self && gate && !gate->is_open()) {
                self->hold_back(from, *gate, packet);
            } else if (self) {
                self->handle(from, std::move(packet));
            }
        },
        gate ? Link::Trust::stranger : Link::Trust::friendly, std::move(connection), proved);
    if (link) {
        (*link)->set_peer(std::move(peer));  // until it has introduced itself
    }
    return link;
}

base::Result<> Endpoint::offer(const std::string& name, Link::RequestHandler handler,
                               const std::optional<std::string>& listen) {
    const std::lock_guard lock(mutex_);
    auto listening = listen_at_socket();
    if (listening) {
        listening = listen_for_other_hosts(listen);
    }
    if (!listening) {
        return listening;
    }
    if (!services_.emplace(name, std::move(handler)).second) {
        return base::fail(ErrorCode::already_exists,
                          "this process already writes a stream '{}': close that writer first (in Python, `with` does)",
                          name);
    }
    return {};
}

bool Endpoint::offers(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return services_.contains(name);
}

void Endpoint::withdraw(const std::string& name) {
    const std::lock_guard handling(handling_);
    const std::lock_guard lock(mutex_);
    services_.erase(name);
    // Not left to the destructor: the event loop may be this endpoint's last owner for a moment, and the process end
    // in that moment. Who has connected already is still listened to.
    if (services_.empty()) {
        stop_listening();
    }
}

}  // namespace staithe::transport
