#include "space/keepers.hpp"

#include "base/config.hpp"
#include "os/process.hpp"
#include "space/member_name.hpp"
#include "space/own_keeper.hpp"
#include "space/served/served_keeper.hpp"
#include "space/served/server_link.hpp"
#include "space/server_search.hpp"
#include "space/spread/spread_keeper.hpp"
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
    if (const auto member = member_of((*entry)->name)) {
        return SpreadKeeper::open(space, *member, server, deadline);
    }
    auto link = ServerLink::to(**entry, deadline);
    return link ? base::Result<std::shared_ptr<Keeper>>(ServedKeeper::open(space, *std::move(link), nullptr, deadline))
                : base::fail(std::move(link));
}

std::string own_name(const Group& group) {
    const std::string program = base::program_name(os::executable_name());
    const std::string process = fmt::format("{} (pid {} on {})", program, os::process_id(), os::host_name());
    return group.size > 1 ? fmt::format("rank {}, {}", group.rank, process) : process;
}

}  // namespace staithe::space
