// One background thread that sleeps until a socket has something to say, or it is time for something.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::transport {

/// Keeps a descriptor watched, and open, while it lives. Thread-safe.
class Watch {
  public:
    virtual ~Watch() = default;
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Calls back once, in the loop's thread, when the descriptor has bytes, or the other side is gone.
    virtual void when_readable(std::function<void()> callback) = 0;
    /// The same when it takes bytes.
    virtual void when_writable(std::function<void()> callback) = 0;
    /// The loop does not look whether there is something to read, until it is told to go on: somebody else reads.
    virtual void pause() = 0;
    /// `at_once`: as if there was something.
    virtual void go_on(bool at_once = false) = 0;
    /// More is to come in a moment, as after an answer: before it sleeps, the loop looks for it as long as that has
    /// paid lately (transport/patience.hpp). In the loop's thread.
    virtual void expect_more() = 0;
};

class EventLoop {
  public:
    /// `limit_reached` when the process has no descriptor or thread left for it.
    static base::Result<std::unique_ptr<EventLoop>> start();
    /// Joins the thread (or lets it finish by itself when called from it). Handlers do not run afterwards.
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    base::Result<std::shared_ptr<Watch>> watch(os::FileDescriptor descriptor);
    /// Calls `on_readable` in the loop's thread whenever there is something to read, until it returns false or throws,
    /// or the watch is gone.
    base::Result<std::shared_ptr<Watch>> watch(os::FileDescriptor descriptor, std::function<bool()> on_readable);

    /// Calls `callback` in the loop's thread after that time, and again after each time that it returns. No more when
    /// it returns none, or throws, or what this returns is gone.
    using Again = std::function<std::optional<base::Seconds>()>;
    std::shared_ptr<void> call_after(base::Seconds time, Again callback);

  private:
    class Implementation;
    explicit EventLoop(std::shared_ptr<Implementation> implementation);
    std::shared_ptr<Implementation> implementation_;
};

}  // namespace staithe::transport
