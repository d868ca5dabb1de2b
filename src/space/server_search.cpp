#include "space/server_search.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/config.hpp"
#include "base/interruption.hpp"
#include "os/process.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/search.hpp"
#include "transport/directory/url.hpp"

namespace staithe::space {
namespace {

constexpr auto between_looks_for_servers = std::chrono::milliseconds(50);

/// What is looked for, and where.
struct Meant {
    std::string name;  // empty: the only one
    transport::Places places;
};

base::Result<Meant> meant_by(const std::optional<std::string>& server) {
    if (auto checked = transport::check_environment(); !checked) {
        return base::fail(std::move(checked));
    }
    Meant meant;
    std::optional<std::string> addresses;
    const auto url = server ? transport::parse_url(*server) : std::optional<transport::Url>();
    if (!url) {
        return base::fail(url);
    }
    if (*url) {
        meant.name = (*url)->name;
        addresses = (*url)->addresses;
    } else if (server && server->find(':') != std::string::npos) {
        addresses = *server;
    } else if (server) {
        meant.name = *server;
    }
    if (server && !(addresses && meant.name.empty())) {
        if (auto checked = transport::check_name(transport::Kind::server, meant.name); !checked) {
            return base::fail(std::move(checked));
        }
    }
    auto places = transport::places_to_ask(addresses);
    if (!places) {
        return base::fail(std::move(places));
    }
    meant.places = *std::move(places);
    return meant;
}

/// What it is called, together with others if there are any.
std::string common_name(const transport::Entry& server) {
    const auto member = member_of(server.name);
    return member ? fmt::format("{} (of {})", member->servers, member->size) : server.name;
}

/// The only one of several that are one and the same, as seen from several places, or that keep spaces together.
base::Result<std::optional<transport::Entry>> only_one(std::vector<transport::Entry> servers) {
    std::vector<transport::Entry> different;
    for (transport::Entry& each : servers) {
        if (std::ranges::none_of(different, [&](const auto& known) {
                return (known.name == each.name && known.process == each.process) ||
                       (member_of(each.name) && common_name(known) == common_name(each));
            })) {
            different.push_back(std::move(each));
        }
    }
    if (different.size() > 1) {
        return base::fail(
            ErrorCode::invalid_argument,
            "there are {} servers here, '{}' and '{}' among them: say which one keeps the space (server=)",
            different.size(), common_name(different[0]), common_name(different[1]));
    }
    return different.empty() ? std::nullopt : std::optional(std::move(different.front()));
}

/// One of those that have the name together.
base::Result<std::optional<transport::Entry>> any_member(transport::Search& search, const std::string& name,
                                                         const base::Deadline& deadline) {
    auto all = search.list(deadline);
    if (!all) {
        return base::fail(std::move(all));
    }
    std::erase_if(*all, [&](const transport::Entry& server) {
        const auto member = member_of(server.name);
        return !member || member->servers != name;
    });
    return only_one(*std::move(all));
}

}  // namespace

base::Result<std::optional<transport::Entry>> find_server(const std::optional<std::string>& server,
                                                          const base::Deadline& deadline) {
    auto meant = meant_by(server);
    if (!meant) {
        return base::fail(std::move(meant));
    }
    const bool waits = !meant->places.addresses.empty();
    const bool only_there = meant->places.only_there;
    transport::Search search(base::run_directory(os::user_id()), nullptr, transport::Kind::server, meant->name,
                             std::move(meant->places));
    for (;;) {
        auto found = base::Result<std::optional<transport::Entry>>(std::nullopt);
        if (meant->name.empty()) {
            auto all = search.list(deadline);
            found = all ? only_one(*std::move(all)) : base::fail(std::move(all));
        } else {
            found = search.look(deadline);
            if (found && !*found) {
                auto member = any_member(search, meant->name, deadline);
                found = member || !deadline.passed() ? std::move(member) : std::nullopt;
            }
        }
        const std::string trouble = search.trouble();
        const bool may_come = waits && (only_there || !trouble.empty());
        if (!found || *found || !may_come) {
            return found;
        }
        if (deadline.passed() || base::interrupted()) {
            return base::fail(ErrorCode::not_found,
                              "there is no server {}at {}{}{}: start it there with `staithe serve --listen "
                              "0.0.0.0:7700`, or whichever port it is",
                              meant->name.empty() ? "" : "'" + meant->name + "' ", search.where(),
                              trouble.empty() ? "" : ": ", trouble);
        }
        std::this_thread::sleep_for(between_looks_for_servers);
    }
}

base::Result<std::vector<std::optional<transport::Entry>>> find_members(const Member& one,
                                                                        const std::optional<std::string>& server,
                                                                        const base::Deadline& deadline) {
    auto meant = meant_by(server);
    if (!meant) {
        return base::fail(std::move(meant));
    }
    transport::Search search(base::run_directory(os::user_id()), nullptr, transport::Kind::server, "",
                             std::move(meant->places));
    auto all = search.list(deadline);
    if (!all) {
        return base::fail(std::move(all));
    }
    std::vector<std::optional<transport::Entry>> members(static_cast<std::size_t>(one.size));
    for (transport::Entry& entry : *all) {
        const auto member = member_of(entry.name);
        if (member && member->servers == one.servers && member->size == one.size) {
            members[static_cast<std::size_t>(member->rank)] = std::move(entry);
        }
    }
    return members;
}

std::string where_servers_are() {
    const auto addresses = base::addresses_to_ask();
    return base::run_directory(os::user_id()) + (addresses ? ", nor at " + *addresses : "");
}

base::Result<std::vector<transport::Entry>> list_servers(const std::optional<std::string>& addresses,
                                                         const base::Deadline& deadline) {
    if (auto checked = transport::check_environment(); !checked) {
        return base::fail(std::move(checked));
    }
    auto places = transport::places_to_ask(addresses);
    if (!places) {
        return base::fail(std::move(places));
    }
    transport::Search search(base::run_directory(os::user_id()), nullptr, transport::Kind::server, "",
                             *std::move(places));
    return search.list(deadline);
}

}  // namespace staithe::space
