// A thread for what must not hold up the event loop, and that nobody waits for: it starts with the first errand.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/result.hpp"

namespace staithe::transport {

class Errands {
  public:
    Errands() = default;
    /// Waits for the errand that is being run, unless it is that which ends this; the others are dropped.
    ~Errands();
    Errands(const Errands&) = delete;
    Errands& operator=(const Errands&) = delete;

    /// Runs it after those that came before. `limit_reached` if too many wait, or there is no thread to be had.
    base::Result<> add(std::function<void()> errand);

  private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::function<void()>> waiting;
        bool stopping = false;
    };
    static void run(State& state);

    const std::shared_ptr<State> state_ = std::make_shared<State>();
    std::thread thread_;
};

}  // namespace staithe::transport
