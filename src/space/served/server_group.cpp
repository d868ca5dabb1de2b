#include "space/served/server_group.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/interruption.hpp"
#include "space/server_search.hpp"
#include "store/store_set.hpp"

namespace staithe::space {
namespace {

constexpr base::Seconds until_all_are_there{5.0};
constexpr auto between_looks_for_members = std::chrono::milliseconds(20);

}  // namespace

base::Result<std::shared_ptr<ServerGroup>> ServerGroup::of(const Member& one, const std::optional<std::string>& server,
                                                           const base::Deadline& deadline) {
    std::shared_ptr<ServerGroup> group(new ServerGroup(one, server));
    const base::Deadline soon(std::min<base::Seconds>(deadline.left(), until_all_are_there));
    for (;;) {
        const auto are_all_there = group->look(deadline);
        if (!are_all_there) {
            return base::fail(are_all_there);
        }
        if (*are_all_there || soon.passed() || base::interrupted()) {
            return group;
        }
        std::this_thread::sleep_for(between_looks_for_members);
    }
}

base::Result<bool> ServerGroup::look(const base::Deadline& deadline) {
    auto members = find_members(one_, server_, deadline);
    if (!members) {
        return base::fail(std::move(members));
    }
    const std::lock_guard lock(mutex_);
    for (std::size_t rank = 0; rank < members->size(); ++rank) {
        members_[rank].entry = std::move((*members)[rank]);
    }
    return std::ranges::all_of(members_, [](const Found& member) { return member.entry.has_value(); });
}

std::shared_ptr<ServerLink> ServerGroup::open_link(int rank) const {
    const std::lock_guard lock(mutex_);
    const auto& link = members_[static_cast<std::size_t>(rank)].link;
    return link && link->is_open() ? link : nullptr;
}

base::Result<std::shared_ptr<ServerLink>> ServerGroup::link(int rank, const base::Deadline& deadline) {
    if (auto link = open_link(rank)) {
        return link;
    }
    if (auto looked = look(deadline); !looked) {
        return base::fail(std::move(looked));
    }
    const auto at = static_cast<std::size_t>(rank);
    std::optional<transport::Entry> entry;
    {
        const std::lock_guard lock(mutex_);
        entry = members_[at].entry;
    }
    auto link = entry ? ServerLink::to(*entry, deadline) : base::fail(ErrorCode::not_found, "it is not there");
    if (!link) {  // or it has gone just now
        return link.error().code == ErrorCode::not_found ? tl::unexpected(missing(rank)) : std::move(link);
    }
    const std::lock_guard lock(mutex_);
    members_[at].link = *link;
    return link;
}

base::Failure ServerGroup::missing(int rank) const {
    const std::lock_guard lock(mutex_);
    const auto& link = members_[static_cast<std::size_t>(rank)].link;
    const std::string name = member_name(one_.servers, rank, one_.size);
    return {
        ErrorCode::peer_lost,
        link ? fmt::format("{} is gone, and what it kept in memory with it: start it again (`staithe serve --name {} "
                           "--rank {} --size {}`)",
                           link->title(), one_.servers, rank, one_.size)
             : fmt::format("server '{}' is not in {}, and the {} servers '{}' keep spaces together, each a part: "
                           "start it (`staithe serve --name {} --rank {} --size {}`)",
                           name, where_servers_are(), one_.size, one_.servers, one_.servers, rank, one_.size)};
}

std::vector<bool> ServerGroup::near() const {
    const std::lock_guard lock(mutex_);
    std::vector<bool> near;
    near.reserve(members_.size());
    for (const auto& [entry, link] : members_) {
        near.push_back(link && link->is_open() ? link->far() == nullptr : entry && entry->is_here());
    }
    return near;
}

std::vector<std::optional<os::ProcessIdentity>> ServerGroup::processes() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::optional<os::ProcessIdentity>> processes;
    for (const Found& member : members_) {
        processes.push_back(member.entry ? std::optional(member.entry->process) : std::nullopt);
    }
    return processes;
}

bool ServerGroup::is_same(const ServerGroup& other) const {
    if (name() != other.name() || size() != other.size()) {
        return false;
    }
    const auto own = processes(), others = other.processes();
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
        if (own[rank] && own[rank] == others[rank]) {
            return true;
        }
    }
    return false;
}

base::Result<std::shared_ptr<store::BlockSource>> ServerGroup::source_of(
    std::span<const store::space::VersionBlock> blocks, const base::Deadline& deadline) {
    std::vector<std::vector<store::space::VersionBlock>> by_server(members_.size());
    for (const store::space::VersionBlock& block : blocks) {
        by_server[block.ref.store % by_server.size()].push_back(block);
    }
    std::vector<std::shared_ptr<store::BlockSource>> sources(by_server.size());
    for (std::size_t rank = 0; rank < by_server.size(); ++rank) {
        if (by_server[rank].empty()) {
            continue;
        }
        const auto server = link(static_cast<int>(rank), deadline);
        auto source = server ? (*server)->source_of(by_server[rank], deadline) : base::fail(server);
        if (!source) {
            return source;
        }
        sources[rank] = *std::move(source);
    }
    return std::make_shared<store::StoreSet>(std::move(sources), store::StoreSet::Numbers::of_servers);
}

}  // namespace staithe::space
