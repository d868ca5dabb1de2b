#include "stream/waiting/watcher.hpp"

#include <system_error>
#include <utility>

namespace staithe::stream {

base::Result<std::unique_ptr<Watcher>> Watcher::start(Watched watched) {
    auto event = os::Event::create();
    if (!event) {
        return base::fail(std::move(event));
    }
    try {
        return std::unique_ptr<Watcher>(new Watcher(std::move(watched), *std::move(event)));
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached,
                          "cannot start the thread that watches a stream: {}; raise the limit with `ulimit -u`",
                          error.what());
    }
}

Watcher::Watcher(Watched watched, os::Event event)
    : watched_(std::move(watched)), event_(std::move(event)), thread_([this] { run(); }) {}

Watcher::~Watcher() {
    stop();
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void Watcher::begin() {
    stop();
    if (watched_.ready()) {
        event_.set();
        return;
    }
    const std::lock_guard lock(mutex_);
    asked_ = true;
    changed_.notify_all();
}

void Watcher::stop() {
    std::unique_lock lock(mutex_);
    asked_ = false;
    if (watching_) {
        stopping_.store(true);
        watched_.wake();
        changed_.wait(lock, [this] { return !watching_; });
        stopping_.store(false);
    }
    event_.clear();
}

void Watcher::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return asked_ || ending_; });
        if (ending_) {
            return;
        }
        watching_ = true;
        lock.unlock();
        watched_.sleep([this] { return stopping_.load(); });
        lock.lock();
        watching_ = false;
        if (asked_) {
            event_.set();
        }
        asked_ = false;
        changed_.notify_all();
    }
}

}  // namespace staithe::stream
