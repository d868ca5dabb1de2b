// Locks of a space that a server keeps.
#include "base/fields.hpp"
#include "space/served/messages.hpp"
#include "space/served/served_keeper.hpp"

namespace staithe::space {
namespace {

/// One that is late, or lost, does not end the lease.
constexpr double renewals_per_lease = 4;

}  // namespace

base::Result<LockGrant> ServedKeeper::lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                           const base::Deadline& deadline) {
    const std::int64_t ticket = server_->next_ticket();
    Attributes body = encode(wish);
    body["thread"] = thread;
    body["ticket"] = ticket;
    auto answer = ask(request::lock, std::move(body), deadline);
    const bool is_late = !answer && answer.error().code == ErrorCode::timeout;
    const bool gives_up = is_late && !deadline.passed();  // it was interrupted
    if (is_late) {
        answer = ask(request::cancel_lock, {{"ticket", ticket}}, base::Deadline(time_to_answer));
    }
    const auto token =
        answer ? base::integer_field(answer->body, "token", 1, INT64_MAX) : base::fail(std::move(answer));
    if (token && gives_up) {
        drop_lock(*token);
    }
    if (is_late && (gives_up || (!token && token.error().code == ErrorCode::timeout))) {
        auto named = wish;
        named.variable = store::space::lock_name(space_, wish.variable);
        return tl::unexpected(no_lock(named, deadline, gives_up, token ? "" : token.error().message));
    }
    if (!token) {
        return base::fail(token);
    }
    const Attributes renewal{{"service", server_service}, {"type", request::renew}, {"token", *token}};
    return LockGrant{.token = *token,
                     .renewal = server_->repeat(renewal, base::Seconds(wish.lease) / renewals_per_lease)};
}

base::Result<> ServedKeeper::unlock(std::int64_t token) {
    const auto answer = ask(request::unlock, {{"token", token}}, base::Deadline(time_to_answer));
    return answer ? base::Result<>() : base::fail(answer);
}

void ServedKeeper::drop_lock(std::int64_t token) noexcept {
    server_->notify({{"type", request::unlock}, {"token", token}});
}

bool ServedKeeper::is_same_space(const Keeper& other) const {
    const auto* const served = dynamic_cast<const ServedKeeper*>(&other);
    return served != nullptr && served->server_ == server_ && served->space_ == space_;
}

}  // namespace staithe::space
