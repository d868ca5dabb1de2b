#include "stream/hosting/server_choice.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/fields.hpp"
#include "base/interruption.hpp"
#include "base/log.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/hosting/hosting_request.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {
namespace {

// A server that was started just before may still be coming.
constexpr base::Seconds until_servers_are_there{5.0};
constexpr auto between_looks_for_a_server = std::chrono::milliseconds(10);

/// One process may be found in several places.
void leave_each_once(std::vector<transport::Entry>& servers) {
    std::ranges::sort(servers, {}, &transport::Entry::name);
    const auto again = std::ranges::unique(servers, [](const auto& one, const auto& other) {
        return one.name == other.name && one.process == other.process;
    });
    servers.erase(again.begin(), again.end());
}

/// Looks for servers, and for who has the stream.
class ServerSearch {
  public:
    ServerSearch(const std::shared_ptr<transport::Endpoint>& endpoint, const std::string& stream,
                 const transport::Places& places)
        : endpoint_(endpoint),
          stream_(stream),
          servers_(endpoint->run_directory(), endpoint, transport::Kind::server, "", places),
          hosted_(endpoint->run_directory(), endpoint, transport::Kind::stream, stream, places),
          twin_(endpoint->run_directory(), endpoint, transport::Kind::stream, twin_of(stream), places) {}

    base::Result<std::vector<transport::Entry>> list(const base::Deadline& deadline) {
        auto servers = servers_.list(deadline);
        if (servers) {
            leave_each_once(*servers);
        }
        return servers;
    }
    /// The first that takes it in. `not_found` if none does that can be found now.
    base::Result<HostingServers> ask_in_order(const std::vector<transport::Entry>& servers, Attributes request,
                                              const OpeningTime& time) {
        const auto candidates = in_order(servers, time.deadline);
        if (!candidates) {
            return base::fail(candidates);
        }
        std::optional<base::Failure> unreachable;
        for (const transport::Entry& server : candidates->servers) {
            auto link = transport::reach(*endpoint_, server, time.of_greetings());
            if (!link && !(candidates->first_has_it && &server == &candidates->servers.front())) {
                unreachable = link.error();  // killed on its host, perhaps, where nobody has cleaned up behind it
                continue;
            }
            auto twin = link ? open_twin(**link, servers, request, time) : base::fail(link);
            request["twin"] = twin && *twin ? twin_of(stream_) : "";
            const auto answer = twin ? (*link)->call(request, {}, time.of_answers()) : base::fail(twin);
            const bool is_open = answer && !base::flag_field(answer->body, hosting::drains);
            if (twin && *twin && !is_open) {
                abandon_in_server(**twin, twin_of(stream_));
            }
            if (!answer) {
                return base::fail(answer);
            }
            if (is_open) {
                return HostingServers{*std::move(link), *std::move(twin)};
            }
        }
        return unreachable ? tl::unexpected(*unreachable)
                           : base::fail(ErrorCode::not_found,
                                        "stream '{}' is placed at 'servers', and all that there are ({}) are being "
                                        "drained: start another one with `staithe serve`",
                                        stream_, servers.size());
    }
    [[nodiscard]] base::Failure nobody() const {
        const std::string trouble = servers_.trouble();
        return {ErrorCode::not_found,
                fmt::format("stream '{}' is placed at 'servers', but no server is in {}{}: start one with `staithe "
                            "serve`, or by `servers: 1` in the workflow file, or use the placement 'producer'",
                            stream_, servers_.where(), trouble.empty() ? "" : " (" + trouble + ")")};
    }

  private:
    /// In the first of the server's fellows that takes it in; null if it is to have none, or none can be had.
    base::Result<std::shared_ptr<transport::Link>> open_twin(transport::Link& server,
                                                             const std::vector<transport::Entry>& servers,
                                                             Attributes request, const OpeningTime& time) {
        const auto said =
            server.call({{"service", hosting_service}, {"type", hosting::fellows}}, {}, time.of_answers());
        const auto fellows = said ? fellows_in(said->body, servers, time.deadline) : base::fail(said);
        if (!fellows || fellows->empty()) {
            return fellows ? base::Result<std::shared_ptr<transport::Link>>(nullptr) : base::fail(fellows);
        }
        request["stream"] = twin_of(stream_);
        request["twin"] = stream_;
        std::string trouble;
        for (const transport::Entry& fellow : *fellows) {
            auto link = transport::reach(*endpoint_, fellow, time.of_greetings());
            const auto answer = link ? (*link)->call(request, {}, time.of_answers()) : base::fail(link);
            if (answer && !base::flag_field(answer->body, hosting::drains)) {
                return link;
            }
            if (!answer && answer.error().code == ErrorCode::already_exists) {
                return base::fail(answer);  // the server that directed it is gone, its writer is not
            }
            trouble = answer ? fellow.title() + " is being drained" : answer.error().message;
        }
        base::log(base::LogLevel::warn,
                  "stream '{}' has its steps in one server, with which they would be lost: no other one takes them in, "
                  "too: {}",
                  stream_, trouble);
        return nullptr;
    }
    /// As far as they can be found: the one first that has the steps already.
    base::Result<std::vector<transport::Entry>> fellows_in(const Attributes& answer,
                                                           const std::vector<transport::Entry>& servers,
                                                           const base::Deadline& deadline) {
        const List* const names = base::list_field(answer, "fellows");
        std::vector<transport::Entry> fellows;
        for (const Value& name : names == nullptr ? List() : *names) {
            std::ranges::copy_if(servers, std::back_inserter(fellows),
                                 [&](const auto& server) { return Value(server.name) == name; });
        }
        if (fellows.empty()) {
            return fellows;
        }
        const auto twin = twin_.look(deadline);
        if (!twin) {
            return base::fail(twin);
        }
        const auto has_it = [&](const auto& fellow) { return *twin && fellow.process == (*twin)->process; };
        if (const auto owner = std::ranges::find_if(fellows, has_it); owner != fellows.end()) {
            std::rotate(fellows.begin(), owner, owner + 1);
        }
        return fellows;
    }
    /// Who has the stream, then those of this host, then the rest; the stream's name decides who is first of these.
    struct Candidates {
        std::vector<transport::Entry> servers;
        bool first_has_it = false;
    };
    base::Result<Candidates> in_order(std::vector<transport::Entry> servers, const base::Deadline& deadline) {
        const auto hosted = hosted_.look(deadline);
        if (!hosted) {
            return base::fail(hosted);
        }
        const auto has_it = [&](const transport::Entry& server) {
            return *hosted && (*hosted)->process == server.process;
        };
        std::ranges::sort(servers, {}, [](const auto& server) { return std::pair(!server.is_here(), server.name); });
        const auto elsewhere = std::ranges::find_if_not(servers, &transport::Entry::is_here);
        for (const std::span part : {std::span(servers.begin(), elsewhere), std::span(elsewhere, servers.end())}) {
            const std::size_t first = part.empty() ? 0 : std::hash<std::string>{}(stream_) % part.size();
            std::ranges::rotate(part, part.begin() + static_cast<std::ptrdiff_t>(first));
        }
        const auto owner = std::ranges::find_if(servers, has_it);
        const bool has_owner = owner != servers.end();
        if (has_owner) {
            std::rotate(servers.begin(), owner, owner + 1);
        }
        return Candidates{std::move(servers), has_owner};
    }

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string stream_;
    transport::Search servers_, hosted_, twin_;
};

/// What the server is to know of the others that there are: those that keep streams together with it are among them.
Value named(const std::vector<transport::Entry>& servers) {
    List list;
    for (const transport::Entry& server : servers) {
        list.push_back(List{server.name, transport::to_json(server)});
    }
    return list;
}

}  // namespace

base::Result<HostingServers> open_in_server(const std::shared_ptr<transport::Endpoint>& endpoint,
                                            const DirectorSettings& settings, const transport::Places& places,
                                            const OpeningTime& time) {
    ServerSearch search(endpoint, settings.stream, places);
    // Some of the time is left to be told why none takes it in.
    const base::Deadline soon(std::min<base::Seconds>(until_servers_are_there, 0.8 * time.deadline.left()));
    for (;;) {
        const auto servers = search.list(time.deadline);
        if (!servers) {
            return base::fail(servers);
        }
        const bool is_patient = !soon.passed() && !base::interrupted();
        Attributes request = encode(settings);
        request["service"] = hosting_service;
        request["type"] = hosting::open;
        request["servers"] = named(*servers);
        request["patient"] = is_patient;
        auto taken_in =
            servers->empty() ? tl::unexpected(search.nobody()) : search.ask_in_order(*servers, request, time);
        if (taken_in || !is_patient || taken_in.error().code != ErrorCode::not_found) {
            return taken_in;
        }
        std::this_thread::sleep_for(between_looks_for_a_server);
    }
}

void abandon_in_server(transport::Link& server, const std::string& stream) {
    static_cast<void>(server.notify({{"service", hosting_service}, {"type", hosting::abandon}, {"stream", stream}}));
}

}  // namespace staithe::stream
