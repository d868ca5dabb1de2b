#include "transport/event_loop.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <system_error>
#include <thread>

#include "base/budget.hpp"

namespace staithe::transport {

struct EventLoop::Implementation {
    base::Claim descriptors;  // of the context
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::thread thread;
};

namespace {

constexpr std::int64_t descriptors_of_a_context = 3;  // epoll, a timer, and an eventfd that wakes it

class AsioWatch final : public Watch, public std::enable_shared_from_this<AsioWatch> {
  public:
    AsioWatch(std::shared_ptr<void> loop, asio::io_context& context, std::function<bool()> on_readable)
        : loop_(std::move(loop)), watched_(context), on_readable_(std::move(on_readable)) {}

    ~AsioWatch() override {
        if (watched_.is_open()) {
            static_cast<void>(watched_.release());  // `descriptor_` closes it
        }
    }
    AsioWatch(const AsioWatch&) = delete;
    AsioWatch& operator=(const AsioWatch&) = delete;

    [[nodiscard]] int descriptor() const override { return descriptor_.get(); }

    void when_writable(std::function<void()> callback) override {
        watched_.async_wait(asio::posix::stream_descriptor::wait_write,
                            [weak = weak_from_this(), callback = std::move(callback)](const asio::error_code& error) {
                                const auto self = error ? nullptr : weak.lock();
                                if (self) {
                                    callback();
                                }
                            });
    }

    base::Result<> start(os::FileDescriptor descriptor) {
        asio::error_code error;
        watched_.assign(descriptor.get(), error);
        if (error) {
            return base::fail(ErrorCode::system, "cannot watch a socket: {}", error.message());
        }
        descriptor_ = std::move(descriptor);
        wait();
        return {};
    }

  private:
    void wait() {
        // The weak pointer lets the owner end the watch from any thread, by letting go of it.
        watched_.async_wait(asio::posix::stream_descriptor::wait_read,
                            [weak = weak_from_this()](const asio::error_code& error) {
                                const auto self = error ? nullptr : weak.lock();
                                if (self && self->on_readable_()) {
                                    self->wait();
                                }
                            });
    }

    const std::shared_ptr<void> loop_;  // the reactor must outlive what is registered with it
    os::FileDescriptor descriptor_;
    asio::posix::stream_descriptor watched_;
    const std::function<bool()> on_readable_;
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

base::Result<std::shared_ptr<Watch>> EventLoop::watch(os::FileDescriptor descriptor,
                                                      std::function<bool()> on_readable) {
    auto watch = std::make_shared<AsioWatch>(implementation_, implementation_->context, std::move(on_readable));
    if (auto started = watch->start(std::move(descriptor)); !started) {
        return base::fail(std::move(started));
    }
    return std::shared_ptr<Watch>(std::move(watch));
}

}  // namespace staithe::transport
