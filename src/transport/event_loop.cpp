#include "transport/event_loop.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/budget.hpp"
#include "base/log.hpp"

namespace staithe::transport {

struct EventLoop::Implementation {
    base::Claim descriptors;  // of the context
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::thread thread;
};

namespace {

constexpr std::int64_t descriptors_of_a_context = 3;  // epoll, a timer, and an eventfd that wakes it

/// What a callback throws must not end the thread, and the simulation with it. Those that know whom it is about catch
/// it before.
void call(const std::function<void()>& callback) {
    try {
        callback();
    } catch (const std::exception& error) {
        base::log(base::LogLevel::error, "a descriptor, or a time, is not watched any more: {}", error.what());
    }
}

class AsioWatch final : public Watch, public std::enable_shared_from_this<AsioWatch> {
  public:
    AsioWatch(std::shared_ptr<void> loop, asio::io_context& context) : loop_(std::move(loop)), watched_(context) {}

    ~AsioWatch() override {
        if (watched_.is_open()) {
            static_cast<void>(watched_.release());  // `descriptor_` closes it
        }
    }
    AsioWatch(const AsioWatch&) = delete;
    AsioWatch& operator=(const AsioWatch&) = delete;

    [[nodiscard]] int descriptor() const override { return descriptor_.get(); }

    void when_readable(std::function<void()> callback) override {
        when(asio::posix::stream_descriptor::wait_read, std::move(callback));
    }
    void when_writable(std::function<void()> callback) override {
        when(asio::posix::stream_descriptor::wait_write, std::move(callback));
    }

    base::Result<> start(os::FileDescriptor descriptor) {
        asio::error_code error;
        watched_.assign(descriptor.get(), error);
        if (error) {
            return base::fail(ErrorCode::system, "cannot watch a descriptor: {}", error.message());
        }
        descriptor_ = std::move(descriptor);
        return {};
    }

    void whenever_readable(std::function<bool()> callback) {
        on_readable_ = std::move(callback);
        watch_on();
    }

  private:
    // The weak pointers let the owner end the watch from any thread, by letting go of it.
    void when(asio::posix::stream_descriptor::wait_type event, std::function<void()> callback) {
        const std::lock_guard lock(mutex_);
        watched_.async_wait(event, [weak = weak_from_this(), callback = std::move(callback)](const auto& error) {
            if (const auto self = error ? nullptr : weak.lock()) {
                call(callback);
            }
        });
    }

    void watch_on() {
        when(asio::posix::stream_descriptor::wait_read, [this] {
            if (on_readable_()) {
                watch_on();
            }
        });
    }

    const std::shared_ptr<void> loop_;  // the reactor must outlive what is registered with it
    os::FileDescriptor descriptor_;
    std::mutex mutex_;  // the loop's thread goes on watching while another waits to send: Asio's objects are for one
    asio::posix::stream_descriptor watched_;
    std::function<bool()> on_readable_;
};

class AsioTimer final : public std::enable_shared_from_this<AsioTimer> {
  public:
    AsioTimer(std::shared_ptr<void> loop, asio::io_context& context, EventLoop::Again callback)
        : loop_(std::move(loop)), timer_(context), callback_(std::move(callback)) {}

    void start(base::Seconds time) {
        timer_.expires_after(std::chrono::duration_cast<base::Clock::duration>(time));
        timer_.async_wait([weak = weak_from_this()](const auto& error) {
            const auto self = error ? nullptr : weak.lock();
            std::optional<base::Seconds> again;
            if (self) {
                call([&] { again = self->callback_(); });
            }
            if (again) {
                self->start(*again);
            }
        });
    }

  private:
    const std::shared_ptr<void> loop_;
    asio::steady_timer timer_;
    const EventLoop::Again callback_;
};

}  // namespace

EventLoop::EventLoop(std::shared_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}

base::Result<std::unique_ptr<EventLoop>> EventLoop::start() {
    auto descriptors = base::claim(base::Resource::descriptors, descriptors_of_a_context, "watch sockets");
    if (!descriptors) {
        return base::fail(std::move(descriptors));
    }
    try {
        auto implementation = std::make_shared<Implementation>();
        implementation->descriptors = *std::move(descriptors);
        // The context opens its epoll descriptor with the first object: here, where failing is an answer.
        const asio::posix::stream_descriptor first(implementation->context);
        implementation->thread = std::thread([running = implementation] { running->context.run(); });
        return std::unique_ptr<EventLoop>(new EventLoop(std::move(implementation)));
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached,
                          "cannot start the thread that watches sockets: {}; raise the limits with `ulimit -n` and "
                          "`ulimit -u`",
                          error.what());
    }
}

EventLoop::~EventLoop() {
    implementation_->context.stop();
    if (implementation_->thread.get_id() == std::this_thread::get_id()) {
        implementation_->thread.detach();
    } else {
        implementation_->thread.join();
    }
}

base::Result<std::shared_ptr<Watch>> EventLoop::watch(os::FileDescriptor descriptor) {
    auto watch = std::make_shared<AsioWatch>(implementation_, implementation_->context);
    if (auto started = watch->start(std::move(descriptor)); !started) {
        return base::fail(std::move(started));
    }
    return std::shared_ptr<Watch>(std::move(watch));
}

base::Result<std::shared_ptr<Watch>> EventLoop::watch(os::FileDescriptor descriptor,
                                                      std::function<bool()> on_readable) {
    auto watched = watch(std::move(descriptor));
    if (watched) {
        static_cast<AsioWatch&>(**watched).whenever_readable(std::move(on_readable));
    }
    return watched;
}

std::shared_ptr<void> EventLoop::call_after(base::Seconds time, Again callback) {
    auto timer = std::make_shared<AsioTimer>(implementation_, implementation_->context, std::move(callback));
    timer->start(time);
    return timer;
}

}  // namespace staithe::transport
