// Blocks that programs hold whose finder is gone: they say so to the servers with the blocks, and until all have had
// the time for that, no large block is freed.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/fields.hpp"
#include "memory/pool.hpp"
#include "server/reception.hpp"

namespace staithe::server {

using store::space::BlockPlace;

namespace {

/// For programs, to say what they hold that a server had pinned which is gone.
constexpr auto until_all_hold_again = std::chrono::seconds(5);

}  // namespace

void Reception::free_later() { frees_from_ = base::Clock::now() + until_all_hold_again; }

bool Reception::is_freed_later(const store::BlockRef& ref) {
    if (ref.bytes > memory::Pool::small_limit && base::Clock::now() < frees_from_) {
        late_.push_back(ref);
        return true;
    }
    const auto pinned = pinned_.find(store::space::place_of(ref));
    if (pinned == pinned_.end()) {
        return false;
    }
    pinned->second.freed = ref;
    return true;
}

void Reception::free_late() {
    if (!late_.empty() && base::Clock::now() >= frees_from_) {
        for (const store::BlockRef& ref : std::exchange(late_, {})) {
            free(ref);
        }
    }
}

Reception::Answer Reception::hold(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const List* const listed = base::list_field(request.body, "places");
    if (followers_ == nullptr || !ticket || request.client.held.contains(*ticket) || listed == nullptr ||
        listed->size() % 2 != 0) {
        return base::fail(ErrorCode::protocol, "blocks are to be held without a ticket of their own");
    }
    std::vector<BlockPlace> places;
    for (std::size_t i = 0; i < listed->size(); i += 2) {
        const auto store = (*listed)[i].as_int().value_or(-1), at = (*listed)[i + 1].as_int().value_or(-1);
        const auto blocks =
            store < 0 || store >= store::space::lost_store ? nullptr : stores_.find(static_cast<std::uint32_t>(store));
        if (blocks != nullptr) {
            places.emplace_back(static_cast<std::uint32_t>(store), at);
            ++pinned_[places.back()].holders;
        }
    }
    request.client.held.emplace(*ticket,
                                std::shared_ptr<const void>(nullptr, [this, places = std::move(places)](const void*) {
                                    std::ranges::for_each(places, [this](const BlockPlace& place) { let_go(place); });
                                }));
    return Reply{};
}

void Reception::let_go(const BlockPlace& place) {
    const auto pinned = pinned_.find(place);
    if (pinned == pinned_.end() || --pinned->second.holders > 0) {
        return;
    }
    const auto freed = pinned->second.freed;
    pinned_.erase(pinned);
    if (freed) {
        free(*freed);
    }
}

}  // namespace staithe::server
