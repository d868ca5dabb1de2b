// Locks of a space that a server keeps.
#include <optional>
#include <utility>

#include "base/fields.hpp"
#include "os/process_identity.hpp"
#include "space/served/messages.hpp"
#include "space/served/served_keeper.hpp"

namespace staithe::space {
namespace {

/// One that is late, or lost, does not end the lease.
constexpr double renewals_per_lease = 4;

}  // namespace

std::string ServedKeeper::holder_key(std::int64_t thread) {
    return fmt::format("{}/{}", os::to_string(os::this_process()), thread);
}

base::Result<LockGrant> ServedKeeper::lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                           const base::Deadline& deadline) {
    return lock(wish, thread, deadline, nullptr);
}

base::Result<LockGrant> ServedKeeper::lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                           const base::Deadline& deadline,
                                           const std::function<base::Result<>()>& go_on) {
    const std::int64_t ticket = server_->next_ticket();
    Attributes body = encode(wish);
    body["thread"] = thread;
    body["ticket"] = ticket;
    if (group_) {
        body["holder"] = holder_key(thread);
    }
    std::optional<base::Failure> refusal;
    const auto ask_on = [&] {
        auto answer = go_on();
        refusal = answer ? std::nullopt : std::optional(answer.error());
        return answer;
    };
    auto answer = ask(request::lock, std::move(body), deadline, go_on ? ask_on : go_on);
    const bool is_late = !answer && !refusal && answer.error().code == ErrorCode::timeout;
    const bool gives_up = is_late && !deadline.passed();  // it was interrupted
    if (is_late || refusal) {
        Attributes withdrawal{{"variable", wish.variable}, {"ticket", ticket}};
        answer = ask(request::cancel_lock, withdrawal, base::Deadline(time_to_withdraw));
        if (!answer && answer.error().code == ErrorCode::timeout) {  // it may still grant it, to nobody
            withdrawal.merge(Attributes{{"type", request::cancel_lock}, {"space", space_}, {"drop", true}});
            server_->notify(std::move(withdrawal));
        }
    }
    const auto token =
        answer ? base::integer_field(answer->body, "token", 1, INT64_MAX) : base::fail(std::move(answer));
    if (refusal && !token) {
        return tl::unexpected(*refusal);
    }
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

base::Result<std::vector<store::space::WayOut>> ServedKeeper::waited_for(const std::vector<std::string>& holders,
                                                                         const std::string& target,
                                                                         const base::Deadline& deadline) {
    const auto answer =
        ask(request::waited_for, {{"holders", List(holders.begin(), holders.end())}, {"holder", target}}, deadline);
    return answer ? decode_ways(answer->body) : base::fail(answer);
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
