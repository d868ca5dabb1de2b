// A descriptor that becomes readable once a call on a stream would not wait, for programs that wait for other things as
// well: poll, event loops.
//
// Streams sleep on a futex, which no descriptor stands for. So a thread does, as long as the program waits by the
// descriptor. It and the thread that uses the stream take turns: between begin() and stop() the stream is the
// watcher's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/result.hpp"
#include "os/event.hpp"

namespace staithe::stream {

/// What a watcher waits for.
struct Watched {
    std::function<bool()> ready;
    /// Returns when it is ready, when waiting is hopeless, and when `stop()` says so after `wake()`.
    std::function<void(const std::function<bool()>& stop)> sleep;
    std::function<void()> wake;
};

class Watcher {
  public:
    static base::Result<std::unique_ptr<Watcher>> start(Watched watched);
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    [[nodiscard]] int descriptor() const { return event_.descriptor(); }
    /// Until stop() the descriptor becomes readable as soon as it is ready.
    void begin();
    /// The descriptor is not readable, and the thread sleeps elsewhere.
    void stop();

  private:
    Watcher(Watched watched, os::Event event);
    void run();

    const Watched watched_;
    const os::Event event_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool asked_ = false;  // to watch
    bool watching_ = false;
    bool ending_ = false;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;  // the last member: it uses the others
};

}  // namespace staithe::stream
