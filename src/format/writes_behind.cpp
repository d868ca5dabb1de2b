#include "format/writes_behind.hpp"

#include <exception>
#include <utility>

namespace staithe::format {
namespace {

/// While one waits for the disk, the other one makes the next file, or hands the next bytes over.
constexpr std::size_t most_threads = 2;

/// That wait for a thread: what they keep are steps of the stream.
constexpr std::size_t most_waiting = 2;

base::Result<> outcome_of(const WritesBehind::Write& write, os::DirectWrites& writes) {
    try {
        return write(writes);
    } catch (const std::exception& error) {  // memory has run out
        return base::fail(ErrorCode::system, "{}", error.what());
    }
}

}  // namespace

WritesBehind::~WritesBehind() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void WritesBehind::begin(Write write) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < most_waiting; });
    if (threads_.size() < most_threads && !start_thread() && threads_.empty()) {
        os::DirectWrites writes;
        if (auto done = outcome_of(write, writes); !done && now_->outcome) {
            now_->outcome = std::move(done);
        }
        return;
    }
    waiting_.push_back({now_.get(), std::move(write)});
    ++now_->unfinished;
    changed_.notify_all();
}

bool WritesBehind::start_thread() {
    try {
        threads_.emplace_back([this] { run(); });
        return true;
    } catch (const std::exception&) {  // threads, or memory, have run out
        return false;
    }
}

void WritesBehind::run() {
    os::DirectWrites writes;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (waiting_.empty()) {
            return;
        }
        Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        changed_.notify_all();
        const bool is_wanted = next.step->outcome.has_value();
        lock.unlock();
        auto done = is_wanted ? outcome_of(next.write, writes) : base::Result<>();
        next.write = nullptr;  // what it keeps goes without the lock
        lock.lock();
        if (!done && next.step->outcome) {
            next.step->outcome = std::move(done);
        }
        --next.step->unfinished;
        changed_.notify_all();
    }
}

void WritesBehind::await(std::unique_lock<std::mutex>& lock, const Step& step) {
    changed_.wait(lock, [&] { return step.unfinished == 0; });
}

base::Result<> WritesBehind::next_step() {
    std::unique_lock lock(mutex_);
    await(lock, *before_);
    auto outcome = std::exchange(before_->outcome, {});
    if (outcome) {
        std::swap(before_, now_);
    }
    return outcome;
}

void WritesBehind::abandon_step() {
    std::unique_lock lock(mutex_);
    await(lock, *now_);
    now_->outcome = {};
}

void WritesBehind::await_all(std::unique_lock<std::mutex>& lock) {
    await(lock, *before_);
    await(lock, *now_);
}

void WritesBehind::await_all() {
    std::unique_lock lock(mutex_);
    await_all(lock);
}

base::Result<> WritesBehind::finish() {
    std::unique_lock lock(mutex_);
    await_all(lock);
    auto outcome = std::exchange(before_->outcome, {});
    auto last = std::exchange(now_->outcome, {});
    return outcome ? std::move(last) : std::move(outcome);
}

}  // namespace staithe::format
