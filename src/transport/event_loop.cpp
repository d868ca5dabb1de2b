#include "transport/event_loop.hpp"

#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "os/ready_set.hpp"
#include "transport/patience.hpp"

namespace staithe::transport {
namespace {

using Callback = std::function<void()>;

/// What a callback throws must not end the thread, and the simulation with it. Those that know whom it is about catch
/// it before.
void call(const Callback& callback) {
    try {
        callback();
    } catch (const std::exception& error) {
        base::log(base::LogLevel::error, "a descriptor, or a time, is not watched any more: {}", error.what());
    }
}

}  // namespace

// Kept by its thread and by all that it watches.
class EventLoop::Implementation : public std::enable_shared_from_this<EventLoop::Implementation> {
  public:
    class Watched;

    static base::Result<std::shared_ptr<Implementation>> make();
    void start() {
        thread_ = std::thread([running = shared_from_this()] { running->run(); });
    }
    void end();

    base::Result<std::shared_ptr<Watched>> watch(os::FileDescriptor descriptor);
    std::shared_ptr<void> call_at(base::Clock::time_point time, Again callback);

  private:
    static constexpr std::uint64_t number_of_alarm = 0;
    using Due = std::multimap<base::Clock::time_point, std::weak_ptr<Again>>;

    Implementation(os::ReadySet ready, os::Alarm alarm) : ready_(std::move(ready)), alarm_(std::move(alarm)) {}
    void run();
    std::size_t look(std::span<os::ReadySet::Ready> ready);
    void handle(const os::ReadySet::Ready& ready);
    void call_due();
    void set_alarm();

    os::ReadySet ready_;
    os::Alarm alarm_;
    std::atomic<bool> is_over_{false};
    Patience patience_;          // of the thread
    bool expects_more_ = false;  // likewise
    std::mutex mutex_;
    std::uint64_t last_number_ = number_of_alarm;
    std::map<std::uint64_t, std::weak_ptr<Watched>> watched_;
    Due due_;
    std::thread thread_;
};

class EventLoop::Implementation::Watched final : public Watch, public std::enable_shared_from_this<Watched> {
  public:
    Watched(std::shared_ptr<Implementation> loop, os::FileDescriptor descriptor, std::uint64_t number)
        : loop_(std::move(loop)), descriptor_(std::move(descriptor)), number_(number) {}
    ~Watched() override {
        loop_->ready_.remove(descriptor_.get());
        const std::lock_guard lock(loop_->mutex_);
        loop_->watched_.erase(number_);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    [[nodiscard]] int descriptor() const override { return descriptor_.get(); }
    void when_readable(Callback callback) override {
        const std::lock_guard lock(mutex_);
        when_readable_.push_back(std::move(callback));
        want();
    }
    void when_writable(Callback callback) override {
        const std::lock_guard lock(mutex_);
        when_writable_.push_back(std::move(callback));
        want();
    }
    void whenever_readable(std::function<bool()> callback) {
        const std::lock_guard lock(mutex_);
        whenever_readable_ = std::move(callback);
        goes_on_ = true;
        want();
    }
    void pause() override {
        const std::lock_guard lock(mutex_);
        is_paused_ = true;
        want();
    }
    void go_on(bool at_once) override {
        const std::lock_guard lock(mutex_);
        is_paused_ = false;
        want();
        if (at_once) {
            at_once_ = loop_->call_at(base::Clock::now(), [weak = weak_from_this()]() -> std::optional<base::Seconds> {
                if (const auto self = weak.lock()) {
                    self->handle({.readable = true});
                }
                return std::nullopt;
            });
        }
    }
    void expect_more() override { loop_->expects_more_ = true; }

    /// In the loop's thread.
    void handle(const os::ReadySet::Ready& ready) {
        std::vector<Callback> once;
        bool reads = false;
        {
            const std::lock_guard lock(mutex_);
            wanted_ = wanted_.once ? os::ReadySet::Wanted{} : wanted_;
            if (ready.readable) {
                once = std::exchange(when_readable_, {});
                reads = goes_on_ && !is_paused_;
            }
            if (ready.writable) {
                std::move(when_writable_.begin(), when_writable_.end(), std::back_inserter(once));
                when_writable_.clear();
            }
        }
        for (const Callback& callback : once) {
            call(callback);
        }
        bool goes_on = false;
        if (reads) {
            call([&] { goes_on = whenever_readable_(); });
        }
        const std::lock_guard lock(mutex_);
        goes_on_ = goes_on_ && (goes_on || !reads);
        want();
    }

  private:
    /// Tells the kernel, if it does not know yet. The mutex is held.
    void want() {
        const bool whenever = goes_on_ && !is_paused_;
        const os::ReadySet::Wanted wanted{.readable = whenever || !when_readable_.empty(),
                                          .writable = !when_writable_.empty(),
                                          .once = !whenever && !(when_readable_.empty() && when_writable_.empty())};
        if (wanted != wanted_) {
            wanted_ = wanted;
            loop_->ready_.want(descriptor_.get(), number_, wanted);
        }
    }

    const std::shared_ptr<Implementation> loop_;
    const os::FileDescriptor descriptor_;
    const std::uint64_t number_;
    std::function<bool()> whenever_readable_;
    std::mutex mutex_;
    os::ReadySet::Wanted wanted_;  // as the kernel knows it
    bool goes_on_ = false;         // to be called whenever it is readable
    bool is_paused_ = false;
    std::vector<Callback> when_readable_, when_writable_;
    std::shared_ptr<void> at_once_;
};

base::Result<std::shared_ptr<EventLoop::Implementation>> EventLoop::Implementation::make() {
    auto ready = os::ReadySet::create();
    auto alarm = ready ? os::Alarm::create() : base::fail(ready);
    const auto added = alarm ? ready->add(alarm->descriptor(), number_of_alarm) : base::fail(alarm);
    if (!added) {
        return base::fail(added);
    }
    ready->want(alarm->descriptor(), number_of_alarm, {.readable = true});
    return std::shared_ptr<Implementation>(new Implementation(*std::move(ready), *std::move(alarm)));
}

void EventLoop::Implementation::end() {
    {
        const std::lock_guard lock(mutex_);  // nobody sets another alarm
        is_over_ = true;
        alarm_.set(base::Clock::now());
    }
    if (thread_.get_id() == std::this_thread::get_id()) {
        thread_.detach();
    } else {
        thread_.join();
    }
}

void EventLoop::Implementation::run() {
    std::array<os::ReadySet::Ready, 64> ready;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the kernel
    while (!is_over_) {
        for (const auto& each : std::span(ready).first(look(ready))) {
            if (is_over_) {
                return;
            }
            handle(each);
        }
    }
}

std::size_t EventLoop::Implementation::look(std::span<os::ReadySet::Ready> ready) {
    std::size_t count = 0;
    const auto look_now = [&] {
        count = ready_.look(ready, os::ReadySet::Wait::no);
        return count > 0;
    };
    return std::exchange(expects_more_, false) && (look_now() || spin(patience_, look_now))
               ? count
               : ready_.look(ready, os::ReadySet::Wait::forever);
}

void EventLoop::Implementation::handle(const os::ReadySet::Ready& ready) {
    if (ready.number == number_of_alarm) {
        call_due();
        return;
    }
    std::shared_ptr<Watched> watched;  // let go of without the mutex
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = watched_.find(ready.number); found != watched_.end()) {
            watched = found->second.lock();
        }
    }
    if (watched) {
        watched->handle(ready);
    }
}

base::Result<std::shared_ptr<EventLoop::Implementation::Watched>> EventLoop::Implementation::watch(
    os::FileDescriptor descriptor) {
    std::shared_ptr<Watched> watched;
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = ++last_number_;
    if (const auto added = ready_.add(descriptor.get(), number); !added) {
        return base::fail(added);
    }
    watched = std::make_shared<Watched>(shared_from_this(), std::move(descriptor), number);
    watched_.emplace(number, watched);
    return watched;
}

std::shared_ptr<void> EventLoop::Implementation::call_at(base::Clock::time_point time, Again callback) {
    auto kept = std::make_shared<Again>(std::move(callback));
    const std::lock_guard lock(mutex_);
    if (const auto placed = due_.emplace(time, kept); placed == due_.begin()) {
        set_alarm();
    }
    return kept;
}

void EventLoop::Implementation::call_due() {
    const auto now = base::Clock::now();
    for (;;) {
        std::shared_ptr<Again> callback;
        {
            const std::lock_guard lock(mutex_);
            if (due_.empty() || due_.begin()->first > now || is_over_) {
                set_alarm();
                return;
            }
            callback = due_.begin()->second.lock();
            due_.erase(due_.begin());
        }
        std::optional<base::Seconds> again;
        if (callback) {
            call([&] { again = (*callback)(); });
        }
        if (again) {
            const auto time = base::Clock::now() + std::chrono::duration_cast<base::Clock::duration>(*again);
            const std::lock_guard lock(mutex_);
            due_.emplace(time, callback);
        }
    }
}

/// The mutex is held.
void EventLoop::Implementation::set_alarm() {
    if (due_.empty() && !is_over_) {
        alarm_.clear();
    } else if (!is_over_) {
        alarm_.set(due_.begin()->first);
    }
}

EventLoop::EventLoop(std::shared_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}

base::Result<std::unique_ptr<EventLoop>> EventLoop::start() {
    auto implementation = Implementation::make();
    if (!implementation) {
        return base::fail(std::move(implementation));
    }
    try {
        (*implementation)->start();
        return std::unique_ptr<EventLoop>(new EventLoop(*std::move(implementation)));
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached,
                          "cannot start the thread that watches sockets: {}; raise the limits with `ulimit -n` and "
                          "`ulimit -u`",
                          error.what());
    }
}

EventLoop::~EventLoop() { implementation_->end(); }

base::Result<std::shared_ptr<Watch>> EventLoop::watch(os::FileDescriptor descriptor) {
    return implementation_->watch(std::move(descriptor));
}

base::Result<std::shared_ptr<Watch>> EventLoop::watch(os::FileDescriptor descriptor,
                                                      std::function<bool()> on_readable) {
    auto watched = implementation_->watch(std::move(descriptor));
    if (watched) {
        (*watched)->whenever_readable(std::move(on_readable));
    }
    return watched;
}

std::shared_ptr<void> EventLoop::call_after(base::Seconds time, Again callback) {
    return implementation_->call_at(base::Clock::now() + std::chrono::duration_cast<base::Clock::duration>(time),
                                    std::move(callback));
}

}  // namespace staithe::transport
