// The public edge of servers.
#include <staithe/server.hpp>

#include <algorithm>
#include <utility>

#include <staithe/limits.hpp>

#include "base/config.hpp"
#include "os/machine_memory.hpp"
#include "os/process.hpp"
#include "server/asking.hpp"
#include "server/reception.hpp"
#include "space/member_name.hpp"
#include "space/served/messages.hpp"
#include "stream/hosting/host.hpp"
#include "stream/opening.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe {
namespace {

/// It says who the server is, and no other one may.
base::Result<> check_server_name(const std::string& given, const std::string& name, int size) {
    if (auto checked = transport::check_name(transport::Kind::server, name); !checked) {
        return checked;
    }
    if (size > space::most_members) {
        return base::fail(ErrorCode::invalid_argument, "{} servers are to keep spaces together, and {} can at most",
                          size, space::most_members);
    }
    return space::member_of(given) ? base::fail(ErrorCode::invalid_argument,
                                                "'{}' is the name of one of several servers that keep spaces together: "
                                                "give its rank and size, and the name that all have",
                                                given)
                                   : base::Result<>();
}

base::Result<> check_spill(const ServerOptions& options) {
    if (options.spill_bytes && !options.spill) {
        return base::fail(ErrorCode::invalid_argument,
                          "a server was told how much may lie on disk, but not where: name a folder, `--spill FOLDER`");
    }
    return options.spill_bytes.value_or(0) >= 0
               ? base::Result<>()
               : base::fail(ErrorCode::invalid_argument, "{} bytes of a server cannot lie on disk",
                            *options.spill_bytes);
}

base::Result<> check_cores(const ServerOptions& options) {
    constexpr int most = 1024;
    const int cores = options.cores.value_or(1);
    return cores >= 1 && cores <= most
               ? base::Result<>()
               : base::fail(ErrorCode::invalid_argument, "a server cannot have {} cores, but 1 to {}", cores, most);
}

base::Result<> check_replicas(const ServerOptions& options) {
    if (options.replicas < 1 || options.replicas > 2) {
        return base::fail(ErrorCode::invalid_argument, "blocks lie in 1 or 2 servers, not in {}", options.replicas);
    }
    if (options.replicas > options.group.size) {
        return base::fail(
            ErrorCode::invalid_argument,
            "a server alone cannot have everything lie in {} servers: start at least as many, with --rank "
            "and --size",
            options.replicas);
    }
    return options.replicas == 1 || !options.spill
               ? base::Result<>()
               : base::fail(ErrorCode::invalid_argument,
                            "what lies in {} servers cannot lie on disk, too: give --replicas or --spill, not both",
                            options.replicas);
}

/// Better now than when it is killed for what it has promised.
base::Result<> check_memory(const std::string& name) {
    constexpr std::int64_t least = 1'000'000;
    const auto limit = limits().memory;
    if (limit && *limit < least) {
        return base::fail(ErrorCode::invalid_argument,
                          "server '{}' was given {} of memory, and needs {} at least: write `--memory 4GB`, or a limit "
                          "as great for this process",
                          name, base::format_bytes(*limit), base::format_bytes(least));
    }
    const auto there_is = os::machine_memory();
    if (limit && *limit > there_is.bytes) {
        return base::fail(ErrorCode::limit_reached,
                          "server '{}' was given {} of memory, and {} has {}: give it less, such as `--memory {}MB`",
                          name, base::format_bytes(*limit), there_is.of, base::format_bytes(there_is.bytes),
                          there_is.bytes / least * 3 / 4);
    }
    return {};
}

}  // namespace

/// The server's name in the run directory, and who answers there; given back with it.
struct Server::Offer {
    std::shared_ptr<transport::Endpoint> endpoint;
    std::shared_ptr<stream::Host> streams;
    std::string name;
    std::vector<std::string> others;  // that keep spaces and streams together with it
    bool has_replicas = false;
    std::optional<std::string> listen;
    bool is_published = false;
    std::shared_ptr<void> ticking;

    ~Offer() {
        if (is_published) {
            transport::Directory(endpoint->run_directory()).withdraw(transport::Kind::server, name);
        }
        streams = nullptr;
        if (endpoint) {
            endpoint->withdraw(space::server_service);
        }
    }
    base::Result<> make(const std::shared_ptr<server::Reception>& reception) {
        auto run_directory = server::run_directory_of_servers();
        auto shared = run_directory ? transport::Endpoint::shared(*run_directory) : base::fail(run_directory);
        if (!shared) {
            return base::fail(std::move(shared));
        }
        reception->take_far_connections_at(*shared);
        auto offered = (*shared)->offer(
            space::server_service,
            [reception](const auto& link, const transport::Packet& packet) { reception->handle(link, packet); },
            listen);
        if (!offered) {
            return offered;
        }
        endpoint = *std::move(shared);
        ticking = endpoint->call_after(server::Reception::tick, [reception] {
            reception->look_at_clock();
            return std::optional(server::Reception::tick);
        });
        auto host = stream::Host::start(endpoint, name, others, has_replicas);
        if (!host) {
            return base::fail(std::move(host));
        }
        streams = *std::move(host);
        const auto entry = transport::own_entry(transport::Kind::server, name, endpoint->addresses(), endpoint->self());
        auto published = transport::Directory(endpoint->run_directory()).publish(entry);
        is_published = bool(published);
        return published;
    }
};

Server::Server(const ServerOptions& options) {
    base::value_or_raise(stream::check_group(options.group));
    const space::Member member{options.name, options.group.rank, options.group.size};
    const std::string name = space::member_name(member.servers, member.rank, member.size);
    base::value_or_raise(check_server_name(options.name, name, member.size));
    base::value_or_raise(check_memory(name));
    base::value_or_raise(check_spill(options));
    base::value_or_raise(check_cores(options));
    base::value_or_raise(check_replicas(options));
    reception_ = std::make_shared<server::Reception>(member, options.cores.value_or(os::usable_cores()));
    if (options.replicas > 1) {
        reception_->keep_replicas();
    }
    if (options.spill) {
        base::value_or_raise(reception_->keep_in(*options.spill, options.spill_bytes));
    }
    offer_ = std::make_unique<Offer>();
    offer_->name = name;
    for (int next = 1; next < member.size; ++next) {  // each has another one first
        offer_->others.push_back(space::member_name(member.servers, (member.rank + next) % member.size, member.size));
    }
    offer_->has_replicas = options.replicas > 1;
    offer_->listen = options.listen;
    base::value_or_raise(offer_->make(reception_));
}

Server::~Server() {
    offer_ = nullptr;
    if (reception_) {
        reception_->end();
    }
}

Attributes Server::describe() const {
    Attributes description = reception_->describe();
    const transport::Peer& self = offer_->endpoint->self();
    description.merge(Attributes{{"program", self.program}, {"host", self.host}, {"pid", self.pid}});
    description.merge(offer_->streams->describe());
    return description;
}

bool Server::is_dismissed() const { return offer_->streams->is_dismissed(); }
int Server::dismissal() const { return offer_->streams->dismissal(); }

}  // namespace staithe
