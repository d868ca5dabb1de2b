// Large blocks that lie with one server alone, since another one that had them is gone, or was not there yet: another
// server fetches each of them, one after the other, while programs go on.
#include <algorithm>
#include <utility>

#include "base/fields.hpp"
#include "memory/pool.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "space/served/server_link.hpp"
#include "space/server_search.hpp"

namespace staithe::server {

using store::space::BlockPlace;
namespace type = space::request;

namespace {

constexpr std::size_t most_at_once = 4;
constexpr auto between_tries = std::chrono::seconds(1);
/// For a server to be found, and to pass its memory.
constexpr base::Seconds time_to_pass{5.0};

base::Result<> fetch(const std::string& server, const store::BlockRef& ref, std::byte* to) {
    const base::Deadline soon(time_to_pass);
    const auto entry = space::find_server(server, soon);
    const auto link = entry && *entry ? space::ServerLink::to(**entry, soon)
                                      : base::fail(ErrorCode::peer_lost, "server '{}' is not to be found", server);
    const store::space::VersionBlock block{.box = Box({0}, {ref.bytes}), .ref = ref};
    const auto source = link ? (*link)->source_of(std::span(&block, 1), soon) : base::fail(link);
    if (!source) {
        return base::fail(source);
    }
    const store::BlockDescription bytes{.variable = "a block",
                                        .dtype = Dtype::u8,
                                        .shape = {ref.bytes},
                                        .box = block.box,
                                        .unit = {},
                                        .attributes = {}};
    const store::Piece piece{
        .block = 0, .description = &bytes, .overlap = {.destination = block.box, .source = Selection(block.box)}};
    return (*source)->fetch(std::span(&ref, 1), std::span(&piece, 1),
                            MutableArrayView::row_major(to, Dtype::u8, {ref.bytes}));
}

}  // namespace

void Reception::look_for_singles() {
    singles_.clear();
    looks_for_singles_ = false;
    const auto is_under_way = [&](const BlockPlace& place) {
        return std::ranges::any_of(
            doubling_, [&](const auto& each) { return store::space::place_of(each.second.block.ref) == place; });
    };
    for (const auto& [space, catalog] : spaces_) {
        catalog->visit_versions([&](const store::space::Version& version) {
            for (std::size_t place = 0; place < version.block_count(); ++place) {
                const store::BlockRef& ref = version.ref(place);
                if (ref.bytes > memory::Pool::small_limit && ref.store != store::space::lost_store &&
                    !version.has_twin(place) && !is_under_way(store::space::place_of(ref))) {
                    singles_.push_back({space, version.variable(), version.number(), version.serial(), ref});
                }
            }
        });
    }
}

void Reception::double_singles() {
    if (base::Clock::now() < double_again_) {
        return;
    }
    if (looks_for_singles_) {
        look_for_singles();
    }
    while (doubling_.size() < most_at_once && !singles_.empty()) {
        const Single block = std::move(singles_.front());
        singles_.pop_front();
        const int holder = rank_of(block.ref.store);
        std::vector<int> others;
        for (int rank = 0; rank < member_.size; ++rank) {
            const bool is_there = rank == member_.rank || (fellows_[rank].link && fellows_[rank].link->is_open());
            if (is_there && rank != holder) {
                others.push_back(rank);
            }
        }
        if (others.empty()) {
            looks_for_singles_ = true;  // once another one has come
            double_again_ = base::Clock::now() + between_tries;
            return;
        }
        const int rank = others[static_cast<std::size_t>(++last_doubling_) % others.size()];
        doubling_.emplace(last_doubling_, Doubling{rank, block});
        if (rank == member_.rank) {
            copy_here(block.ref, [this, ticket = last_doubling_](const auto& copy) { has_doubled(ticket, copy); });
        } else {
            static_cast<void>(fellows_[rank].link->notify({{"service", space::server_service},
                                                           {"type", type::copy},
                                                           {"ticket", last_doubling_},
                                                           {"store", block.ref.store},
                                                           {"at", block.ref.offset},
                                                           {"bytes", block.ref.bytes}}));
        }
    }
}

/// Calls back with the mutex.
void Reception::copy_here(const store::BlockRef& ref,
                          const std::function<void(const base::Result<store::BlockRef>&)>& then) {
    if (own_twins_ == nullptr) {
        auto made = stores_.make("server-" + server_);
        if (!made) {
            then(base::fail(made));
            return;
        }
        own_twins_ = *std::move(made);
    }
    const auto added = copies_.add([reception = weak_from_this(), twins = own_twins_, ref, then] {
        auto room = twins->allocate(ref.bytes);
        const auto self = reception.lock();
        if (self == nullptr) {
            return;
        }
        const std::string holder =
            space::member_name(self->member_.servers, self->rank_of(ref.store), self->member_.size);
        const auto fetched = room ? fetch(holder, ref, twins->address_of(*room)) : base::fail(room);
        std::unique_lock lock(self->mutex_);
        if (room && !fetched) {
            self->stores_.free(*room);
            room = base::fail(fetched);
        } else if (room) {
            self->kept_.emplace(store::space::place_of(*room), *room);
        }
        then(room);
        self->tell_due(lock);
    });
    if (!added) {
        then(base::fail(added));
    }
}

Reception::Answer Reception::copy(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const auto store = base::integer_field(request.body, "store", 0, store::space::lost_store - 1);
    const auto at = base::integer_field(request.body, "at", 0, INT64_MAX);
    const auto bytes = base::integer_field(request.body, "bytes", 1, INT64_MAX);
    const bool is_elsewhere = store && rank_of(static_cast<std::uint32_t>(*store)) != member_.rank;
    if (followers_ == nullptr || !request.client.fellow || !ticket || !is_elsewhere || !at || !bytes) {
        return base::fail(ErrorCode::protocol, "server '{}' is to copy what it cannot", server_);
    }
    copy_here({.store = static_cast<std::uint32_t>(*store), .offset = *at, .bytes = *bytes},
              [link = request.client.link, number = *ticket](const base::Result<store::BlockRef>& copied) {
                  Attributes answer{{"service", space::server_service}, {"type", type::was_copied}, {"ticket", number}};
                  if (copied) {
                      answer["store"] = copied->store;
                      answer["at"] = copied->offset;
                  }
                  static_cast<void>(link->notify(answer));
              });
    return std::nullopt;
}

Reception::Answer Reception::was_copied(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const auto store = base::integer_field(request.body, "store", 0, store::space::lost_store - 1);
    const auto at = base::integer_field(request.body, "at", 0, INT64_MAX);
    if (ticket) {
        has_doubled(*ticket, store && at
                                 ? base::Result<store::BlockRef>(
                                       store::BlockRef{.store = static_cast<std::uint32_t>(*store), .offset = *at})
                                 : base::fail(ErrorCode::limit_reached, "it has no room for it, or not found it"));
    }
    return std::nullopt;
}

void Reception::has_doubled(std::int64_t ticket, const base::Result<store::BlockRef>& copied) {
    const auto found = doubling_.find(ticket);
    if (found == doubling_.end()) {
        return;
    }
    const Single block = std::move(found->second.block);
    doubling_.erase(found);
    if (!copied) {
        looks_for_singles_ = true;
        double_again_ = base::Clock::now() + between_tries;
        return;
    }
    const BlockPlace of = store::space::place_of(block.ref), twin = store::space::place_of(*copied);
    const auto catalog = spaces_.find(block.space);
    const auto version = catalog == spaces_.end() ? nullptr : catalog->second->at(block.variable, block.version);
    // Else it was put anew, and may lie where this one did.
    const bool is_the_same = version != nullptr && version->serial() == block.serial;
    if (is_the_same && catalog->second->add_twin(block.variable, block.version, of, twin)) {
        followers_->add_twin(block.space, block.variable, block.version, of, twin);
    } else {
        free({.store = twin.first, .offset = twin.second, .bytes = block.ref.bytes});
    }
    double_singles();
}

}  // namespace staithe::server
