#include "space/held_lock.hpp"

#include <utility>

#include "os/fork.hpp"

namespace staithe::space {

using store::space::LockMode;

namespace {

std::int64_t number_of_this_thread() {
    static std::atomic<std::int64_t> last{0};
    static thread_local const std::int64_t number = ++last;
    return number;
}

std::vector<std::weak_ptr<HeldLock>>& taken_by_this_thread() {
    static thread_local std::vector<std::weak_ptr<HeldLock>> locks;
    return locks;
}

}  // namespace

base::Result<std::shared_ptr<HeldLock>> HeldLock::take(const std::shared_ptr<Keeper>& keeper,
                                                       const store::space::LockTable::Wish& wish,
                                                       const base::Deadline& deadline) {
    auto grant = keeper->lock(wish, number_of_this_thread(), deadline);
    if (!grant) {
        return base::fail(std::move(grant));
    }
    auto lock = os::kept_at_home(new HeldLock(keeper, wish, *std::move(grant)));
    auto& taken = taken_by_this_thread();
    std::erase_if(taken, [](const std::weak_ptr<HeldLock>& each) { return each.expired(); });
    taken.push_back(lock);
    return lock;
}

HeldLock::HeldLock(std::shared_ptr<Keeper> keeper, store::space::LockTable::Wish wish, LockGrant grant)
    : keeper_(std::move(keeper)), wish_(std::move(wish)), grant_(std::move(grant)) {}

HeldLock::~HeldLock() {
    if (!is_released_) {
        grant_.renewal = nullptr;
        keeper_->drop_lock(grant_.token);
    }
}

std::string HeldLock::title() const { return store::space::describe_lock(wish_.variable, wish_.mode, wish_.box); }

base::Result<> HeldLock::release() {
    if (!keeper_->is_here()) {
        return base::fail(ErrorCode::peer_lost,
                          "the lock on {} stays with the process that took it, and this one was forked off: open the "
                          "space in the child, and take a lock there",
                          title());
    }
    if (is_released_.exchange(true)) {
        return base::fail(ErrorCode::closed, "the lock on {} was released before: take a new one", title());
    }
    grant_.renewal = nullptr;
    return keeper_->unlock(grant_.token);
}

base::Result<std::vector<std::int64_t>> HeldLock::tokens_for(const Keeper& keeper, const std::string& variable,
                                                             const Box& box) {
    std::vector<std::int64_t> tokens;
    std::shared_ptr<const HeldLock> touching;
    std::erase_if(taken_by_this_thread(), [&](const std::weak_ptr<HeldLock>& each) {
        const auto lock = each.lock();
        if (lock == nullptr || lock->is_released_) {
            return true;
        }
        if (lock->wish_.mode == LockMode::write && lock->wish_.variable == variable &&
            lock->keeper_->is_same_space(keeper)) {
            if (store::space::is_within(lock->wish_.box, box)) {
                tokens.push_back(lock->token());
            } else if (store::space::meet(lock->wish_.box, box)) {
                touching = lock;
            }
        }
        return false;
    });
    if (tokens.empty() && touching != nullptr) {
        return base::fail(ErrorCode::invalid_argument,
                          "this thread has locked {}, and puts {}, which is only partly there: lock all that is put",
                          touching->title(), to_string(box));
    }
    return tokens;
}

}  // namespace staithe::space
