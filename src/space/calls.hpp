// Calls of a space that somebody does not wait for: each in a thread, so that one that waits holds up no other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "base/result.hpp"
#include "os/fork.hpp"

namespace staithe::space {

/// Thread-safe. Threads start as they are needed, and stay.
class Calls {
  public:
    /// So many at a time, and so many that wait for their turn.
    struct Most {
        std::size_t threads = 1;
        std::size_t waiting = 0;
    };
    explicit Calls(Most most) : most_(most) {}
    /// Runs those that wait for their turn, and waits until all are through (but the one that ends this).
    ~Calls();
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    /// In the order in which they came. `limit_reached` if there are too many.
    base::Result<> start(std::function<void()> call);

  private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::function<void()>> waiting;
        std::size_t threads = 0;
        std::size_t idle = 0;
        bool stopping = false;
    };
    static void run(State& state);

    const os::Home home_;
    const Most most_;
    const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace staithe::space
