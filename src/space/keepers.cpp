#include "space/keepers.hpp"

#include "base/config.hpp"
#include "os/process.hpp"
#include "space/own_keeper.hpp"
#include "space/served/messages.hpp"
#include "space/served/served_keeper.hpp"
#include "space/served/server_link.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::space {
namespace {

/// The server that is meant, if there is one.
base::Result<std::optional<transport::Entry>> find_server(const std::optional<std::string>& name) {
    if (auto checked = transport::check_environment(); !checked) {
        return base::fail(std::move(checked));
    }
    const transport::Directory directory(base::run_directory(os::user_id()));
    if (name) {
        if (auto checked = transport::check_name(transport::Kind::server, *name); !checked) {
            return base::fail(std::move(checked));
        }
        return directory.find(transport::Kind::server, *name);
    }
    const auto servers = directory.list(transport::Kind::server);
    if (servers.size() > 1) {
        return base::fail(
            ErrorCode::invalid_argument,
            "there are {} servers here, '{}' and '{}' among them: say which one keeps the space (server=)",
            servers.size(), servers[0].name, servers[1].name);
    }
    return servers.empty() ? std::nullopt : std::optional(servers.front());
}

}  // namespace

base::Result<std::shared_ptr<Keeper>> open_keeper(const std::string& space, const std::optional<std::string>& server,
                                                  const base::Deadline& deadline) {
    if (auto checked = transport::check_name(transport::Kind::space, space); !checked) {
        return base::fail(std::move(checked));
    }
    const bool own = server && server->empty();
    const auto entry = own ? std::optional<transport::Entry>() : find_server(server);
    if (!entry) {
        return base::fail(entry);
    }
    if (!*entry) {
        if (server && !own) {
            return base::fail(ErrorCode::not_found,
                              "there is no server '{}' in {}: start it with `staithe serve --name {}`", *server,
                              base::run_directory(os::user_id()), *server);
        }
        return OwnKeeper::of(space);
    }
    auto link = ServerLink::to(**entry, deadline);
    if (!link) {
        return base::fail(std::move(link));
    }
    auto opened = (*link)->call({{"type", request::open}, {"space", space}}, deadline);
    if (!opened) {
        return base::fail(std::move(opened));
    }
    return std::make_shared<ServedKeeper>(space, *std::move(link));
}

std::string own_name(const Group& group) {
    const std::string program = base::program_name(os::executable_name());
    const std::string process = fmt::format("{} (pid {} on {})", program, os::process_id(), os::host_name());
    return group.size > 1 ? fmt::format("rank {}, {}", group.rank, process) : process;
}

}  // namespace staithe::space
