#include "stream/hosting/server_choice.hpp"

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "base/interruption.hpp"
#include "stream/hosting/hosting_request.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {
namespace {

// A server that was started just before may still be coming.
constexpr base::Seconds until_servers_are_there{5.0};
constexpr auto between_looks = std::chrono::milliseconds(10);

std::vector<transport::Entry> servers_here(const transport::Directory& directory) {
    auto servers = directory.list(transport::Kind::server);
    std::erase_if(servers, [](const transport::Entry& server) { return !server.is_here(); });
    return servers;
}

base::Result<transport::Entry> choose_server(const std::string& run_directory, const std::string& stream,
                                             const base::Deadline& deadline) {
    const transport::Directory directory(run_directory);
    const base::Seconds patience = std::min<base::Seconds>(until_servers_are_there, deadline.left());
    auto servers = servers_here(directory);
    for (const base::Deadline soon(patience); servers.empty() && !soon.passed() && !base::interrupted();) {
        std::this_thread::sleep_for(between_looks);
        servers = servers_here(directory);
    }
    if (servers.empty()) {
        return base::fail(ErrorCode::not_found,
                          "stream '{}' is placed at 'servers', but no server of this host is in {}: start one with "
                          "`staithe serve`, or by `servers: 1` in the workflow file, or use the placement 'producer'",
                          stream, run_directory);
    }
    const auto hosted = directory.find(transport::Kind::stream, stream);
    const auto has_it = [&](const transport::Entry& server) {
        return hosted && *hosted && (*hosted)->is_here() && (*hosted)->peer.pid == server.peer.pid;
    };
    const auto owner = std::ranges::find_if(servers, has_it);
    return owner != servers.end() ? *owner : servers[std::hash<std::string>{}(stream) % servers.size()];
}

}  // namespace

base::Result<std::shared_ptr<transport::Link>> open_in_server(const std::shared_ptr<transport::Endpoint>& endpoint,
                                                              const DirectorSettings& settings,
                                                              const OpeningTime& time) {
    const auto server = choose_server(endpoint->run_directory(), settings.stream, time.deadline);
    auto link = server ? transport::reach(*endpoint, *server, time.of_greetings()) : base::fail(server);
    if (!link) {
        return base::fail(std::move(link));
    }
    Attributes request = encode(settings);
    request["service"] = hosting_service;
    request["type"] = hosting::open;
    auto answer = (*link)->call(std::move(request), {}, time.of_answers());
    return answer ? std::move(link) : base::fail(std::move(answer));
}

void abandon_in_server(transport::Link& server, const std::string& stream) {
    static_cast<void>(server.notify({{"service", hosting_service}, {"type", hosting::abandon}, {"stream", stream}}));
}

}  // namespace staithe::stream
