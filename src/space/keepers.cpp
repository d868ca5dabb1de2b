#include "space/keepers.hpp"

#include "base/config.hpp"
#include "os/process.hpp"
#include "space/own_keeper.hpp"
#include "space/served/messages.hpp"
#include "space/served/served_keeper.hpp"
#include "space/served/server_link.hpp"
#include "space/server_search.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::space {

base::Result<std::shared_ptr<Keeper>> open_keeper(const std::string& space, const std::optional<std::string>& server,
                                                  const base::Deadline& deadline) {
    if (auto checked = transport::check_name(transport::Kind::space, space); !checked) {
        return base::fail(std::move(checked));
    }
    const bool own = server && server->empty();
    const auto entry = own ? std::optional<transport::Entry>() : find_server(server, deadline);
    if (!entry) {
        return base::fail(entry);
    }
    if (!*entry) {
        if (server && !own) {
            return base::fail(ErrorCode::not_found,
                              "there is no server '{}' in {}: start it with `staithe serve --name {}`", *server,
                              where_servers_are(), *server);
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
