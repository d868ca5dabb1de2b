// A program that has spaces of a server open: what it has been given, and what it holds and waits for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "server/far_blocks.hpp"
#include "server/far_room.hpp"
#include "space/pool_blocks.hpp"
#include "store/space/catalog.hpp"
#include "transport/link.hpp"

namespace staithe::server {

/// A block that lies here, of a version that another server knows of.
struct Kept {
    store::BlockRef ref;
    std::string space{};
    std::string variable{};
    std::int64_t version = 0;
    base::Clock::time_point since = base::Clock::now();
    /// Until the other server has decided which of them stays: where the copy on disk lies, or what that is a copy of.
    std::optional<store::space::BlockPlace> twin{};
};

struct Client {
    std::shared_ptr<transport::Link> link;
    std::shared_ptr<transport::Link::CloseHandler> closing;              // of the link
    std::set<std::string> spaces;                                        // that it has opened; none if it only looks
    std::shared_ptr<space::PoolBlocks> own;                              // to which it alone writes; null until it puts
    std::set<std::uint32_t> stores;                                      // all that it has ever had of its own
    std::map<std::int64_t, store::BlockRef> reserved;                    // by ticket: to be put yet
    std::map<std::int64_t, std::vector<store::BlockRef>> reserved_many;  // the same, several under one
    std::map<std::int64_t, std::unique_ptr<FarRoom>> far_rooms;  // of these, by ticket, while another host fills them
    std::map<std::string, std::shared_ptr<void>> awaited;        // connections of another host, by purpose
    FarClient far;
    std::map<std::int64_t, std::shared_ptr<const void>> held;  // by ticket: pins of what it has found
    std::map<store::space::BlockPlace, Kept> kept;             // of versions that this program, a server, knows of
    std::optional<int> fellow;                                 // a server of that rank, which has said so
    std::string incarnation;                                   // and of its process
};

}  // namespace staithe::server
