#include "space/own_locks.hpp"

#include <stop_token>

#include "base/interruption.hpp"
#include "os/fork.hpp"
#include "space/keepers.hpp"

namespace staithe::space {

using store::space::LockTable;

OwnLocks& OwnLocks::of_this_process() {
    static os::OnePerProcess<OwnLocks> locks;
    return locks.get();
}

base::Result<LockGrant> OwnLocks::lock(const std::string& space, LockTable::Wish wish, std::int64_t thread,
                                       const base::Deadline& deadline) {
    wish.variable = store::space::lock_name(space, wish.variable);
    wish.lease = LockTable::longest_lease;
    const std::stop_callback wake(deadline.stop(), [this] {
        const std::lock_guard waiting(mutex_);
        granted_.notify_all();
    });
    std::unique_lock lock(mutex_);
    const std::int64_t ticket = ++last_ticket_;
    bool is_granted = false;
    const auto answer = manager_.request({.client = this, .thread = thread, .program = own_name({})}, ticket, wish,
                                         base::Clock::now(), [&](std::int64_t /*token*/) {
                                             is_granted = true;
                                             granted_.notify_all();
                                         });
    if (!answer) {
        return base::fail(answer);
    }
    if (*answer) {
        return LockGrant{.token = **answer, .renewal = nullptr};
    }
    bool gives_up = false;
    while (!is_granted && !gives_up && !deadline.passed()) {
        granted_.wait_until(lock, base::next_question(deadline).at());
        lock.unlock();  // to ask may take the interpreter's lock, whose holder may want this one
        gives_up = base::interrupted();
        lock.lock();
    }
    const auto token = manager_.stop_waiting(this, ticket, base::Clock::now());
    if (token && gives_up) {
        static_cast<void>(manager_.release(this, *token, base::Clock::now()));
    }
    return token && !gives_up ? base::Result<LockGrant>(LockGrant{.token = *token, .renewal = nullptr})
                              : tl::unexpected(no_lock(wish, deadline, gives_up, token ? "" : token.error().message));
}

base::Result<> OwnLocks::unlock(std::int64_t token) {
    const std::lock_guard lock(mutex_);
    return manager_.release(this, token, base::Clock::now());
}

base::Result<> OwnLocks::check(const store::space::Put& put, const std::string& space) {
    const std::lock_guard lock(mutex_);
    return manager_.check(this, put.locks, store::space::lock_name(space, put.block.variable), put.block.box,
                          base::Clock::now());
}

}  // namespace staithe::space
