// What programs look for: found at once, or waited for.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "store/enclosed_source.hpp"

namespace staithe::server {

using store::space::Catalog;
using store::space::Wanted;

namespace {

std::int64_t enclose_of(const Attributes& body) {
    return base::integer_field(body, "enclose", 0, space::most_enclosed).value_or(0);
}

}  // namespace

base::Result<space::Found> Reception::found_of(const std::shared_ptr<const store::space::Version>& version,
                                               const Wanted& wanted) const {
    space::Found found = space::found_in(version, wanted);
    for (const store::space::VersionBlock& block : found.blocks) {
        if (block.ref.store == store::space::lost_store) {
            return base::fail(ErrorCode::peer_lost,
                              "the servers that had it are gone, and {} of version {} of '{}' with them: ask for other "
                              "boxes or versions of it, or remove this one and put it again",
                              to_string(block.box), version->number(), base::printable(wanted.variable));
        }
        if (const auto whose = elsewhere_.loss_of(block.ref)) {
            return base::fail(
                ErrorCode::peer_lost,
                "{} is gone, and {} of version {} of '{}' with it: ask for other boxes or versions of it, or "
                "remove this one and put it again",
                *whose, to_string(block.box), version->number(), base::printable(wanted.variable));
        }
    }
    version->use(base::Clock::now());
    return found;
}

base::Result<Reception::Reply> Reception::found(Client& client, std::int64_t ticket,
                                                const std::shared_ptr<const store::space::Version>& version,
                                                const Wanted& wanted, std::int64_t most_enclosed) const {
    const auto found = found_of(version, wanted);
    if (!found) {
        return base::fail(found);
    }
    Reply reply;
    const bool is_enclosed = most_enclosed > 0 && enclose(found->blocks, most_enclosed, reply.enclosed);
    reply.body = space::encode(*found, reply.enclosed);
    if (is_enclosed) {
        reply.body["enclosed"] = true;
    } else {
        client.held.insert_or_assign(ticket, version);
    }
    return reply;
}

bool Reception::enclose(std::span<const store::space::VersionBlock> blocks, std::int64_t most,
                        std::vector<std::byte>& bytes) const {
    std::int64_t size = 0;
    for (const store::space::VersionBlock& block : blocks) {
        if (block.ref.bytes > most - size || !stores_.is_in_memory(block.ref)) {
            return false;
        }
        size += store::enclosed_size(block.ref.bytes);
    }
    for (const store::space::VersionBlock& block : blocks) {
        const std::size_t end = bytes.size() + static_cast<std::size_t>(store::enclosed_size(block.ref.bytes));
        const std::byte* const there = stores_.find(block.ref.store)->address_of(block.ref);
        bytes.insert(bytes.end(), there, there + block.ref.bytes);
        bytes.resize(end);
    }
    return true;
}

Reception::Answer Reception::find(const Request& request) {
    const auto catalog = catalog_of(request);
    auto wanted = catalog ? space::decode_wanted(request.body) : base::fail(catalog);
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    if (!wanted || !ticket) {
        return wanted ? base::fail(ticket) : base::fail(std::move(wanted));
    }
    const auto version = (*catalog)->find(*wanted);
    if (!version) {
        return base::fail(version);
    }
    if (*version != nullptr) {
        return found(request.client, *ticket, *version, *wanted, enclose_of(request.body));
    }
    (*catalog)->await(*wanted);
    waiting_.push_back({request.client.link, request.id, *ticket, *base::text_field(request.body, "space"),
                        *std::move(wanted), enclose_of(request.body)});
    return std::nullopt;
}

/// Who wants what is not there yet, or is large, looks for it alone.
Reception::Answer Reception::find_many(const Request& request) {
    constexpr std::size_t most_of_all = std::size_t{8} << 20;
    const auto catalog = catalog_of(request);
    const auto wanted = catalog ? space::decode_wanted_many(request.body) : base::fail(catalog);
    if (!wanted) {
        return base::fail(wanted);
    }
    Reply reply;
    std::vector<space::FoundOrNot> all(wanted->size());
    for (std::size_t i = 0; i < wanted->size(); ++i) {
        const auto version = (*catalog)->find((*wanted)[i]);
        if (!version) {
            all[i] = base::fail(version);
        } else if (*version != nullptr && reply.enclosed.size() < most_of_all) {
            auto found = found_of(*version, (*wanted)[i]);
            if (!found || enclose(found->blocks, space::most_enclosed, reply.enclosed)) {
                all[i] = std::move(found);
            }
        }
    }
    reply.body = space::encode(all);
    return reply;
}

void Reception::answer_waiting(const std::string& space, const std::string& variable) {
    const Catalog& catalog = *spaces_.at(space);
    for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
        const bool is_for_it = waiting->space == space && waiting->wanted.variable == variable;
        const auto version = is_for_it ? catalog.find(waiting->wanted) : nullptr;
        if (version && *version == nullptr) {
            ++waiting;
            continue;
        }
        answer(waiting->link, waiting->id,
               version ? found(clients_.at(waiting->link.get()), waiting->ticket, *version, waiting->wanted,
                               waiting->enclose)
                       : base::fail(version));
        waiting = stop_waiting(waiting);
    }
}

std::list<Reception::Waiting>::iterator Reception::stop_waiting(std::list<Waiting>::iterator waiting) {
    spaces_.at(waiting->space)->await_no_more(waiting->wanted);
    return waiting_.erase(waiting);
}

/// Who waits no longer gets what is there by now, or is told why it is not.
Reception::Answer Reception::cancel(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto wanted = catalog ? space::decode_wanted(request.body) : base::fail(catalog);
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    if (!wanted || !ticket) {
        return wanted ? base::fail(ticket) : base::fail(wanted);
    }
    const auto waiting = std::ranges::find_if(
        waiting_, [&](const Waiting& each) { return each.link == request.client.link && each.ticket == *ticket; });
    if (waiting != waiting_.end()) {
        stop_waiting(waiting);
    }
    request.client.held.erase(*ticket);  // the answer to who waited may be on its way
    const auto version = (*catalog)->find(*wanted);
    if (!version) {
        return base::fail(version);
    }
    if (*version == nullptr) {
        return Reply{{{"why", (*catalog)->why_not(*wanted)}}};
    }
    return found(request.client, *ticket, *version, *wanted, enclose_of(request.body));
}

Reception::Answer Reception::release(const Request& request) {
    if (const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX)) {
        request.client.held.erase(*ticket);
        grant_if_spilled();
    }
    return std::nullopt;
}

}  // namespace staithe::server
