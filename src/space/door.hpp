// A space as somebody has opened it: who keeps it, until it is closed, and what has those who wait in it come back.
//
// Thread-safe: a space is closed by one thread while others wait.
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/fork.hpp"
#include "space/calls.hpp"
#include "space/keeper.hpp"

namespace staithe::space {

class Door {
  public:
    explicit Door(std::shared_ptr<Keeper> keeper) : keeper_(std::move(keeper)) {}
    /// Who waits in calls that were started here comes back before their threads are waited for.
    ~Door() {
        if (home_.here()) {
            close();
        }
    }
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;

    /// nullptr once it is closed.
    [[nodiscard]] std::shared_ptr<Keeper> keeper() const {
        const std::lock_guard lock(mutex_);
        return keeper_;
    }
    /// Of whoever waits.
    [[nodiscard]] std::stop_token closing() const { return closing_.get_token(); }
    [[nodiscard]] bool is_closed() const { return closing_.stop_requested(); }

    void close() {
        closing_.request_stop();
        std::shared_ptr<Keeper> last;  // outlives the lock: with a keeper goes what it has
        const std::lock_guard lock(mutex_);
        last.swap(keeper_);
    }

    /// Of those that are started here and not waited for. Puts are done one after the other.
    [[nodiscard]] Calls& gets() { return gets_; }
    [[nodiscard]] Calls& puts() { return puts_; }

  private:
    const os::Home home_;
    mutable std::mutex mutex_;
    std::shared_ptr<Keeper> keeper_;
    std::stop_source closing_;
    Calls gets_{{.threads = 256}};
    Calls puts_{{.threads = 1, .waiting = 1024}};
};

/// Of a call that may have waited until the space was closed.
template <class T>
T value_or_closed(base::Result<T> result, const std::string& space, const base::Deadline& deadline) {
    if (!result && result.error().code == ErrorCode::timeout && deadline.is_stopped()) {
        throw Closed("space '" + space + "' was closed while this waited in it: " + result.error().message);
    }
    return base::value_or_raise(std::move(result));
}

}  // namespace staithe::space
