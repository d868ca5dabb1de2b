#include "store/space/lock_manager.hpp"

namespace staithe::store::space {
namespace {

const std::int64_t* find_in(const std::map<std::int64_t, std::int64_t>& map, std::int64_t key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace

base::Result<std::optional<std::int64_t>> LockManager::request(const Asker& asker, std::int64_t ticket,
                                                               const LockTable::Wish& wish, Time now, Granted granted) {
    Program& program = programs_[asker.client];
    const auto [thread, is_new] = program.threads.try_emplace(asker.thread);
    if (is_new) {
        thread->second.holder = table_.join(
            asker.thread == 1 ? asker.program : fmt::format("{}, thread {}", asker.program, asker.thread), asker.key);
    }
    ++thread->second.requests;
    const bool is_ticket_new = !program.requests.contains(ticket);
    auto answer = is_ticket_new ? table_.request(thread->second.holder, wish, now)
                                : base::fail(ErrorCode::protocol, "a lock was asked for without a ticket of its own");
    if (!answer) {
        leave(asker.client, asker.thread, now);
        tell(now);
        return base::fail(std::move(answer));
    }
    program.requests.emplace(ticket, answer->request);
    requests_.emplace(answer->request, Request{asker.client, asker.thread, ticket, answer->token, std::move(granted)});
    if (answer->token) {
        granted_.emplace(*answer->token, answer->request);
    }
    tell(now);
    return answer->token;
}

base::Result<std::int64_t> LockManager::stop_waiting(Client client, std::int64_t ticket, Time now) {
    expire(now);
    const auto program = programs_.find(client);
    const auto* const asked = program == programs_.end() ? nullptr : find_in(program->second.requests, ticket);
    if (asked == nullptr) {
        return base::fail(ErrorCode::timeout, "it was granted, and has ended since");
    }
    const std::int64_t request = *asked;
    if (const auto token = requests_.at(request).token) {
        return *token;
    }
    auto why = table_.describe_wait(request, now);
    table_.cancel(request, now);
    forget(request, now);
    tell(now);
    return base::fail(ErrorCode::timeout, "{}", why);
}

base::Result<> LockManager::check_owner(Client client, std::int64_t token) const {
    const auto* const request = find_in(granted_, token);
    return request == nullptr || requests_.at(*request).client == client
               ? base::Result<>()
               : base::fail(ErrorCode::invalid_argument, "lock {} is another program's", token);
}

base::Result<> LockManager::release(Client client, std::int64_t token, Time now) {
    expire(now);
    auto released = check_owner(client, token);
    if (released) {
        released = table_.release(token, now);
    }
    if (released) {
        forget(granted_.at(token), now);
    }
    tell(now);
    return released;
}

base::Result<> LockManager::renew(Client client, std::int64_t token, Time now) {
    expire(now);
    const auto checked = check_owner(client, token);
    return checked ? table_.renew(token, now) : checked;
}

base::Result<> LockManager::check(Client client, const std::vector<std::int64_t>& tokens, const std::string& variable,
                                  const Box& box, Time now) {
    expire(now);
    base::Result<> checked;
    for (std::size_t i = 0; checked && i < tokens.size(); ++i) {
        checked = client == nullptr ? base::Result<>() : check_owner(client, tokens[i]);
        if (checked) {
            checked = table_.check(tokens[i], variable, LockMode::write, box, now);
        }
    }
    return checked;
}

std::vector<LockManager::Waiting> LockManager::waiting(Time now) {
    expire(now);
    std::vector<Waiting> all;
    for (const auto& [number, request] : requests_) {
        if (!request.token) {
            const Lock& lock = table_.locks().at(number);
            all.push_back({request.client, number, lock.since, to_string(lock)});
        }
    }
    return all;
}

std::vector<WayOut> LockManager::ways_out(const std::vector<std::string>& keys, const std::string& target, Time now) {
    expire(now);
    return table_.ways_out(keys, target);
}

void LockManager::drop(Client client, Time now) {
    const auto program = programs_.extract(client);
    if (program.empty()) {
        return;
    }
    for (const auto& [ticket, request] : program.mapped().requests) {
        if (const auto token = requests_.at(request).token) {
            granted_.erase(*token);
        }
        requests_.erase(request);
    }
    for (const auto& [number, thread] : program.mapped().threads) {
        table_.drop(thread.holder, now);
    }
    tell(now);
}

void LockManager::expire(Time now) {
    table_.expire(now);
    tell(now);
}

void LockManager::forget(std::int64_t request, Time now) {
    const Request forgotten = std::move(requests_.extract(request).mapped());
    if (forgotten.token) {
        granted_.erase(*forgotten.token);
    }
    programs_.at(forgotten.client).requests.erase(forgotten.ticket);
    leave(forgotten.client, forgotten.thread, now);
}

/// A thread without locks is not known any more, nor a program without such threads.
void LockManager::leave(Client client, std::int64_t thread, Time now) {
    const auto program = programs_.find(client);
    const auto left = program->second.threads.find(thread);
    if (--left->second.requests > 0) {
        return;
    }
    table_.drop(left->second.holder, now);
    program->second.threads.erase(left);
    if (program->second.threads.empty()) {
        programs_.erase(program);
    }
}

void LockManager::tell(Time now) {
    while (!table_.events().empty()) {
        for (const LockTable::Event& event : std::exchange(table_.events(), {})) {
            const auto found = requests_.find(event.request);
            if (found == requests_.end()) {
                continue;  // of a program that is gone
            }
            if (event.kind == LockTable::Event::Kind::lapsed) {
                forget(event.request, now);
                continue;
            }
            found->second.token = event.token;
            granted_.emplace(event.token, event.request);
            found->second.granted(event.token);
        }
    }
}

}  // namespace staithe::store::space
