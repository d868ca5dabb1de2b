// Many small blocks at once.
#include <algorithm>
#include <set>
#include <utility>

#include "base/fields.hpp"
#include "server/reception.hpp"
#include "space/served/messages_many.hpp"

namespace staithe::server {

using store::space::Put;

Reception::Answer Reception::reserve_many(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const List* const sizes = base::list_field(request.body, "sizes");
    Client& client = request.client;
    if (!ticket || client.reserved_many.contains(*ticket) || sizes == nullptr ||
        sizes->size() > space::most_blocks_at_once) {
        return base::fail(ErrorCode::protocol, "rooms were reserved without a ticket of their own");
    }
    if (client.link->is_between_hosts()) {
        return base::fail(ErrorCode::protocol, "blocks of another host go alone");
    }
    const auto own = own_store(client);
    if (!own) {
        return base::fail(own);
    }
    std::vector<store::BlockRef> rooms;
    List offsets;
    for (const Value& size : *sizes) {
        const std::int64_t bytes = size.as_int().value_or(-1);
        const auto room = bytes < 0 || bytes > memory::Pool::small_limit
                              ? base::fail(ErrorCode::protocol, "a block of {} bytes goes alone", bytes)
                              : (*own)->allocate(bytes);
        if (!room) {
            std::ranges::for_each(rooms, [this](const store::BlockRef& ref) { free(ref); });
            return base::fail(room);
        }
        rooms.push_back(*room);
        offsets.emplace_back(room->offset);
    }
    client.reserved_many.emplace(*ticket, std::move(rooms));
    return Reply{{{"store", (*own)->store()}, {"at", std::move(offsets)}}};
}

Reception::Answer Reception::put_many(const Request& request) {
    const auto catalog = catalog_of(request);
    auto puts = catalog ? space::decode_puts(request.body) : base::fail(catalog);
    if (!puts) {
        return base::fail(std::move(puts));
    }
    auto& reserved = request.client.reserved_many;
    const auto found = reserved.find(base::integer_field(request.body, "ticket", 1, INT64_MAX).value_or(0));
    const auto fits = [](const Put& put, const store::BlockRef& room) { return put.block.data_bytes() == room.bytes; };
    if (found == reserved.end() || !std::ranges::equal(*puts, found->second, fits)) {
        return base::fail(ErrorCode::protocol, "blocks were put where no room was reserved for them");
    }
    const std::vector<store::BlockRef> rooms = std::move(found->second);
    reserved.erase(found);
    const std::string space = *base::text_field(request.body, "space");
    const std::string process = to_string(request.client.link->peer());
    // Written to by the log, too: it has ended with them before it calls for the answer.
    const auto results = std::make_shared<std::vector<base::Result<std::int64_t>>>();
    results->reserve(rooms.size());
    Pins persisted;
    std::set<std::string> variables;  // that somebody may wait for
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        Put& put = (*puts)[i];
        put.ref = rooms[i];
        put.by.name = name_of(put.by, process);
        const auto before = answers_.find(put.id);
        auto& result = results->emplace_back(before ? base::Result<std::int64_t>(before->version)
                                                    : put_one(request.client.link.get(), space, put));
        if (before || !result) {
            free(put.ref);
            continue;
        }
        answers_.add(put.id, {*result, store::space::place_of(put.ref)});
        if (!waiting_.empty()) {
            variables.insert(put.block.variable);
        }
        auto kept = safe_ != nullptr && safe_->keeps(put) ? (*catalog)->at(put.block.variable, *result) : nullptr;
        if (kept != nullptr) {
            persist(request.client, space, put, *kept, [this, results, &result](const base::Result<>& written) {
                if (!written) {
                    result = tl::unexpected(not_safe(written.error()));
                }
            });
            persisted.push_back(std::move(kept));
        }
    }
    for (const std::string& variable : variables) {
        answer_waiting(space, variable);
    }
    const auto answer = [results] { return Reply{{{"versions", space::encode(*results)}}}; };
    if (persisted.empty()) {
        return answer();
    }
    safe_->flush(when_safe(request, answer, std::move(persisted)));
    return std::nullopt;
}

}  // namespace staithe::server
