// What another server leads that this one follows, and what is answered and done once the one that follows this one has
// heard of it.
#include <algorithm>
#include <utility>

#include "base/fields.hpp"
#include "base/log.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {

namespace type = space::request;

Reception::Answer Reception::follow(const Request& request) {
    const auto rank = request.client.fellow;
    const auto number = base::integer_field(request.body, "number", 1, INT64_MAX);
    const Attributes* const change = base::map_field(request.body, "change");
    if (followers_ == nullptr || !rank || !number || change == nullptr) {
        return base::fail(ErrorCode::protocol, "server '{}' is told what it does not follow", server_);
    }
    auto found = following_.find(*rank);
    if (found == following_.end() && base::text_field(*change, "kind").value_or("") == "begin") {
        const auto keep =
            [this, link = request.client.link](std::span<const std::byte> bytes) -> base::Result<store::BlockRef> {
            const auto own = own_store(client_of(link));
            auto room = own ? (*own)->allocate(static_cast<std::int64_t>(bytes.size())) : base::fail(own);
            if (room && !bytes.empty()) {
                std::ranges::copy(bytes, (*own)->address_of(*room));
            }
            return room;
        };
        found = following_.try_emplace(*rank, keep, [this](const store::BlockRef& ref) { free_when_safe(ref); }).first;
    }
    if (found == following_.end() || !is_of_fellow(request.client)) {  // it is gone, and this one has gone on for it
        return std::nullopt;
    }
    if (const auto taken = found->second.take(*change, request.enclosed); !taken) {
        base::log(base::LogLevel::warn, "server '{}' follows '{}', but has not all that it has: {}", server_,
                  space::member_name(member_.servers, *rank, member_.size), taken.error().message);
    }
    static_cast<void>(request.client.link->notify(
        {{"service", space::server_service}, {"type", type::followed}, {"number", *number}}));
    return std::nullopt;
}

Reception::Answer Reception::followed(const Request& request) {
    const auto number = base::integer_field(request.body, "number", 1, INT64_MAX);
    const auto rank = followers_ != nullptr ? followers_->rank() : std::nullopt;
    if (number && rank && fellows_[*rank].link == request.client.link) {
        followers_->take_word(*number);
    }
    return std::nullopt;
}

void Reception::answer(const std::shared_ptr<transport::Link>& link, std::int64_t id, base::Result<Reply> now) {
    if (followers_ == nullptr || !followers_->is_behind()) {
        reply(*link, id, std::move(now));
        return;
    }
    const auto kept = std::make_shared<base::Result<Reply>>(std::move(now));  // it may tell of what is not safe yet
    followers_->flush(
        [link, id, kept](const base::Result<>& safe) { reply(*link, id, safe ? std::move(*kept) : base::fail(safe)); });
}

void Reception::tell_due(std::unique_lock<std::mutex>& lock) {
    if (followers_ == nullptr) {
        return;
    }
    for (auto due = followers_->take_due(); !due.empty(); due = followers_->take_due()) {
        lock.unlock();
        for (const auto& [done, outcome] : due) {
            done(outcome);
        }
        lock.lock();
    }
}

}  // namespace staithe::server
