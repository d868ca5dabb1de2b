// Locks, as programs ask for them.
#include <utility>

#include "base/fields.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {

Reception::Answer Reception::lock(const Request& request) {
    const auto catalog = catalog_of(request);
    auto wish = catalog ? space::decode_wish(request.body) : base::fail(catalog);
    const auto thread = base::integer_field(request.body, "thread", 1, INT64_MAX);
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    if (!wish || !thread || !ticket) {
        return wish ? base::fail(thread ? ticket : thread) : base::fail(std::move(wish));
    }
    const auto& link = request.client.link;
    wish->variable = store::space::lock_name(*base::text_field(request.body, "space"), wish->variable);
    const auto granted = locks_.request({.client = link.get(),
                                         .thread = *thread,
                                         .program = to_string(link->peer()),
                                         .key = base::text_field(request.body, "holder").value_or("")},
                                        *ticket, *wish, time_.now(), [link, id = request.id](std::int64_t token) {
                                            reply(*link, id, Reply{{{"token", token}}});
                                        });
    if (!granted) {
        return base::fail(granted);
    }
    return *granted ? Answer(Reply{{{"token", **granted}}}) : std::nullopt;
}

Reception::Answer Reception::cancel_lock(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const auto token =
        ticket ? locks_.stop_waiting(request.client.link.get(), *ticket, time_.now()) : base::fail(ticket);
    if (base::flag_field(request.body, "drop")) {  // whoever asked hears nothing of it any more
        static_cast<void>(token && locks_.release(request.client.link.get(), *token, time_.now()));
        return std::nullopt;
    }
    return token ? Answer(Reply{{{"token", *token}}}) : base::fail(token);
}

Reception::Answer Reception::unlock(const Request& request) {
    const auto token = base::integer_field(request.body, "token", 1, INT64_MAX);
    const auto released = token ? locks_.release(request.client.link.get(), *token, time_.now()) : base::fail(token);
    return released ? Answer(Reply{}) : base::fail(released);
}

Reception::Answer Reception::waited_for(const Request& request) {
    const List* const listed = base::list_field(request.body, "holders");
    const auto target = base::text_field(request.body, "holder");
    if (listed == nullptr || !target) {
        return base::fail(ErrorCode::protocol, "a process asks whom nobody waits for");
    }
    std::vector<std::string> holders;
    for (const Value& holder : *listed) {
        if (const auto* const key = holder.as_string()) {
            holders.push_back(*key);
        }
    }
    return Reply{space::encode(locks_.ways_out(holders, *target, time_.now()))};
}

/// Who comes too late is told so where it says what it wants to do under the lock.
Reception::Answer Reception::renew(const Request& request) {
    if (const auto token = base::integer_field(request.body, "token", 1, INT64_MAX)) {
        static_cast<void>(locks_.renew(request.client.link.get(), *token, time_.now()));
    }
    return std::nullopt;
}

void Reception::look_at_clock() {
    std::unique_lock lock(mutex_);
    locks_.expire(time_.now());
    grant_if_spilled();
    merging_.begin(weak_from_this());
    if (followers_ != nullptr) {
        followers_->look_at_clock();
        look_for_fellows();
        double_singles();
        free_late();
    }
    tell_due(lock);
}

}  // namespace staithe::server
