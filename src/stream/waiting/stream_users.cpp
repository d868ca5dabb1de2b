#include "stream/waiting/stream_users.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include "base/config.hpp"
#include "os/fork.hpp"
#include "os/process.hpp"

namespace staithe::stream {
namespace {

struct Users {
    std::mutex mutex;
    std::map<const StreamUse*, std::pair<std::string, std::set<int>>> threads_of;  // with the stream's name
    std::multiset<int> waiting;
    std::set<std::string> opened;  // ever
};

Users& users() {
    static os::OnePerProcess<Users> users;
    return users.get();
}

}  // namespace

StreamUse::StreamUse(std::string stream) : stream_(std::move(stream)) {
    {
        const std::lock_guard lock(users().mutex);
        users().opened.insert(stream_);
    }
    by_this_thread();
}

StreamUse::~StreamUse() {
    const std::lock_guard lock(users().mutex);
    users().threads_of.erase(this);
}

void StreamUse::by_this_thread() {
    const int thread = os::thread_id();
    if (last_user_.load(std::memory_order_relaxed) == thread) {
        return;
    }
    last_user_.store(thread, std::memory_order_relaxed);
    const std::lock_guard lock(users().mutex);
    auto& [stream, threads] = users().threads_of[this];
    stream = stream_;
    threads.insert(thread);
}

WaitingThread::WaitingThread() : thread_(os::thread_id()) {
    const std::lock_guard lock(users().mutex);
    users().waiting.insert(thread_);
}

WaitingThread::~WaitingThread() {
    const std::lock_guard lock(users().mutex);
    if (const auto entry = users().waiting.find(thread_); entry != users().waiting.end()) {  // not in a forked child
        users().waiting.erase(entry);
    }
}

std::vector<std::string> held_up_streams() {
    const std::lock_guard lock(users().mutex);
    std::map<std::string, bool> held_up;
    for (auto& [use, of_stream] : users().threads_of) {
        auto& [stream, threads] = of_stream;
        std::erase_if(threads, [](int thread) { return !os::is_thread_here(thread); });
        // Of one whose threads have all ended, somebody else will make use.
        const bool all_wait = !threads.empty() && std::all_of(threads.begin(), threads.end(), [](int thread) {
            return users().waiting.contains(thread);
        });
        held_up.try_emplace(stream, true).first->second &= all_wait;
    }
    std::vector<std::string> streams;
    for (const auto& [stream, is_held_up] : held_up) {
        if (is_held_up) {
            streams.push_back(stream);
        }
    }
    return streams;
}

std::map<std::string, int> unopened_streams(const std::string& purpose) {
    const std::lock_guard lock(users().mutex);
    std::map<std::string, int> unopened;
    if (!users().waiting.contains(os::process_id())) {  // the main thread has the process's number
        return unopened;
    }
    for (const auto& [stream, ranks] : base::streams_to_open(purpose)) {
        if (!users().opened.contains(stream)) {
            unopened.emplace(stream, ranks);
        }
    }
    return unopened;
}

}  // namespace staithe::stream
