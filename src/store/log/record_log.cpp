#include "store/log/record_log.hpp"

#include <system_error>
#include <utility>

namespace staithe::store::log {

base::Result<> RecordLog::start() {
    bytes_ = folder_.bytes();
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached, "no thread to write a log: {}", error.what());
    }
    return {};
}

RecordLog::~RecordLog() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
        folder_.end();
    }
}

std::uint64_t RecordLog::append(std::uint64_t key, std::vector<std::byte> description, std::span<const std::byte> bytes,
                                Done done) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t place = ++last_place_;
    add({.place = place, .key = key, .description = std::move(description), .bytes = bytes}, std::move(done));
    return place;
}

void RecordLog::kill(std::vector<std::uint64_t> places, Done done) {
    const std::lock_guard lock(mutex_);
    add({.kind = RecordKind::killed, .places = std::move(places)}, std::move(done));
}

void RecordLog::add(Entry entry, Done done) {
    entries_.push_back(std::move(entry));
    dones_.push_back(std::move(done));
    changed_.notify_all();
}

void RecordLog::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !entries_.empty() || is_ending_; });
        if (entries_.empty()) {
            return;
        }
        const auto entries = std::exchange(entries_, {});
        auto dones = std::exchange(dones_, {});
        lock.unlock();
        const auto results = folder_.write(entries);
        bytes_ = folder_.bytes();
        for (std::size_t i = 0; i < dones.size(); ++i) {
            if (dones[i]) {
                dones[i](results[i]);
            }
        }
        lock.lock();
    }
}

}  // namespace staithe::store::log
