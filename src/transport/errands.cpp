#include "transport/errands.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include "base/log.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t most_errands = 1024;

}  // namespace

Errands::~Errands() {
    {
        std::deque<std::function<void()>> dropped;  // what they hold goes without the lock
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
        dropped.swap(state_->waiting);
    }
    state_->changed.notify_all();
    if (thread_.get_id() == std::this_thread::get_id()) {
        thread_.detach();
    } else if (thread_.joinable()) {
        thread_.join();
    }
}

base::Result<> Errands::add(std::function<void()> errand) {
    const std::lock_guard lock(state_->mutex);
    if (state_->waiting.size() >= most_errands) {
        return base::fail(ErrorCode::limit_reached, "has {} things to do already that others have asked for",
                          most_errands);
    }
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread([state = state_] { run(*state); });
        } catch (const std::system_error& error) {
            return base::fail(ErrorCode::limit_reached, "cannot start a thread: {}; raise `ulimit -u`", error.what());
        }
    }
    state_->waiting.push_back(std::move(errand));
    state_->changed.notify_all();
    return {};
}

void Errands::run(State& state) {
    std::unique_lock lock(state.mutex);
    for (;;) {
        state.changed.wait(lock, [&] { return state.stopping || !state.waiting.empty(); });
        if (state.stopping) {
            return;
        }
        auto errand = std::move(state.waiting.front());
        state.waiting.pop_front();
        lock.unlock();
        try {
            errand();
        } catch (const std::exception& error) {
            base::log(base::LogLevel::error, "what another process asked for was not done: {}", error.what());
        }
        errand = nullptr;  // what it holds goes without the lock
        lock.lock();
    }
}

}  // namespace staithe::transport
