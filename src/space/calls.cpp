#include "space/calls.hpp"

#include <system_error>
#include <thread>
#include <utility>

namespace staithe::space {
namespace {

thread_local const void* calls_of_this_thread = nullptr;

}  // namespace

Calls::~Calls() {
    if (!home_.here()) {
        return;  // in a forked child there are no such threads
    }
    std::unique_lock lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
    const std::size_t own = calls_of_this_thread == state_.get() ? 1 : 0;
    state_->changed.wait(lock, [&] { return state_->threads == own; });
}

base::Result<> Calls::start(std::function<void()> call) {
    const std::lock_guard lock(state_->mutex);
    if (state_->idle <= state_->waiting.size()) {
        if (state_->threads < most_.threads) {
            try {
                std::thread([state = state_] { run(*state); }).detach();
            } catch (const std::system_error& error) {
                return base::fail(ErrorCode::limit_reached, "cannot start a thread: {}; raise `ulimit -u`",
                                  error.what());
            }
            ++state_->threads;
        } else if (state_->waiting.size() >= most_.waiting + state_->idle) {
            return base::fail(ErrorCode::limit_reached,
                              "{} calls of this space are under way, and no more can be: wait for some of them",
                              most_.threads + most_.waiting);
        }
    }
    state_->waiting.push_back(std::move(call));
    state_->changed.notify_all();
    return {};
}

void Calls::run(State& state) {
    calls_of_this_thread = &state;
    std::unique_lock lock(state.mutex);
    for (;;) {
        ++state.idle;
        state.changed.wait(lock, [&] { return state.stopping || !state.waiting.empty(); });
        --state.idle;
        if (state.waiting.empty()) {
            --state.threads;
            state.changed.notify_all();
            return;
        }
        auto call = std::move(state.waiting.front());
        state.waiting.pop_front();
        lock.unlock();
        call();
        call = nullptr;  // what it holds goes without the lock
        lock.lock();
    }
}

}  // namespace staithe::space
