#include "transport/channel/socket_channel.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "os/event.hpp"
#include "os/socket.hpp"
#include "os/tcp.hpp"
#include "transport/channel/frames.hpp"
#include "transport/heartbeat.hpp"

namespace staithe::transport {
namespace {

/// What may wait for others to go along with does so for no longer, and no more of it than that: then it is worth a
/// call of the kernel. Of few slots, as many as there are for a full queue, nothing waits.
constexpr base::Seconds longest_wait_for_others{200e-6};
constexpr std::size_t most_waiting_bytes = 32 << 10;
constexpr std::uint64_t slots_for_each_that_waits = 16;

class SocketChannel : public Channel, public std::enable_shared_from_this<SocketChannel> {
  public:
    bool leave(const Message& message, std::span<const std::byte> enclosed) override {
        const std::lock_guard lock(mutex_);
        const bool added = add(message, enclosed);
        flush();
        return added;
    }

    bool send_soon(const Message& message, std::span<const std::byte> enclosed) override {
        const std::lock_guard lock(mutex_);
        const bool added = add(message, enclosed);
        if (outbox_.messages() > most_out_ / slots_for_each_that_waits || outbox_.bytes() > most_waiting_bytes) {
            flush();
        } else {
            flush_soon();
        }
        return added;
    }

    bool receive(Message& message) override {
        const std::lock_guard lock(mutex_);
        auto next = inbox_.next();
        if (!next) {
            take_in();
            next = inbox_.next();
        }
        if (next) {
            message = next->message;
            enclosed_ = std::move(next->enclosed);
        }
        return next.has_value();
    }

    std::optional<std::vector<std::byte>> take_enclosed() override {
        const std::lock_guard lock(mutex_);
        return std::move(enclosed_);
    }

    void show(std::size_t word, std::int64_t value) override {
        const std::lock_guard lock(mutex_);
        outbox_.add_word(word, value);
        flush();
    }

    std::int64_t shown(std::size_t word) override {
        const std::lock_guard lock(mutex_);
        take_in();
        return inbox_.word(word);
    }

    void ring() override {}  // a frame does that

    bool is_connected() override {
        const std::lock_guard lock(mutex_);
        take_in();
        return watch_ && !is_mute_;
    }

    bool has_delivered() override {
        const std::lock_guard lock(mutex_);
        flush();
        const os::BorrowedDescriptor socket(descriptor());
        return is_deaf_ || descriptor() < 0 ||
               (outbox_.empty() && (!os::is_tcp(socket) || os::is_all_acknowledged(socket)));
    }

    void when_cut_off(std::function<void()> callback) override {
        const std::lock_guard lock(mutex_);
        when_cut_off_ = std::move(callback);
        tell_if_cut_off();
    }

  protected:
    SocketChannel(EventLoop& loop, std::uint64_t most_out, std::uint64_t most_in, std::uint32_t most_enclosed_in)
        : loop_(loop), most_out_(most_out), inbox_(most_in, most_enclosed_in) {}

    // The mutex is held.
    virtual void call_when_readable() = 0;
    /// Whether to ask the kernel if something has come.
    [[nodiscard]] virtual bool is_worth_a_look() const { return true; }

    [[nodiscard]] int descriptor() const { return watch_ ? watch_->descriptor() : -1; }
    void connect(std::shared_ptr<Watch> watch) {
        watch_ = std::move(watch);
        if (os::is_tcp(os::BorrowedDescriptor(descriptor()))) {
            heartbeats_ = loop_.call_after(Heartbeat::interval, [weak = weak_from_this()] {
                const auto self = weak.lock();
                return self ? self->look_for_loss() : std::nullopt;
            });
        }
    }
    void flush() {
        if (descriptor() < 0) {
            return;
        }
        using Flushed = FrameOutbox::Flushed;
        const Flushed flushed = is_deaf_ ? Flushed::to_nobody : outbox_.flush(os::BorrowedDescriptor(descriptor()));
        is_deaf_ = flushed == Flushed::to_nobody;  // what it has sent before is good all the same
        if (flushed == Flushed::partly) {
            call_when_writable();
        }
    }

    void take_in() {
        if (descriptor() < 0 || !is_worth_a_look()) {
            return;
        }
        using Taken = FrameInbox::Taken;
        const Taken taken = is_mute_ ? Taken::the_last : inbox_.take_in(os::BorrowedDescriptor(descriptor()));
        is_mute_ = taken == Taken::the_last || taken == Taken::nonsense;
        is_deaf_ = is_deaf_ || taken == Taken::nonsense;  // nothing is said to who sends that
        tell_if_cut_off();
        if (can_take_in()) {
            call_when_readable();
        }
    }

    EventLoop& loop_;
    std::mutex mutex_;
    std::shared_ptr<Watch> watch_;  // none until there is a connection

    [[nodiscard]] bool can_take_in() const { return !is_mute_ && inbox_.has_room(); }
    [[nodiscard]] bool has_to_send() const { return !is_deaf_ && !outbox_.empty(); }

  private:
    bool add(const Message& message, std::span<const std::byte> enclosed) {
        if (is_deaf_ || enclosed.size() > most_enclosed) {
            return false;
        }
        if (outbox_.messages() >= most_out_) {
            flush();
        }
        if (outbox_.messages() >= most_out_) {
            return false;
        }
        outbox_.add(message, enclosed);
        return true;
    }

    /// The program may do without the stream for long, so the loop sees to it.
    void flush_soon() {
        if (!std::exchange(flushes_soon_, true)) {
            timer_ = loop_.call_after(longest_wait_for_others, [this, weak = weak_from_this()] {
                if (const auto alive = weak.lock()) {
                    const std::lock_guard lock(mutex_);
                    flushes_soon_ = false;
                    flush();
                }
                return std::optional<base::Seconds>();
            });
        }
    }

    /// What the socket does not take now goes when it does, whatever the program does meanwhile.
    void call_when_writable() {
        if (!std::exchange(awaits_room_, true)) {
            watch_->when_writable([weak = weak_from_this()] {
                if (const auto self = weak.lock()) {
                    const std::lock_guard lock(self->mutex_);
                    self->awaits_room_ = false;
                    self->flush();
                }
            });
        }
    }

    /// Later, since whoever has found it out may hold locks that the callback wants.
    void tell_if_cut_off() {
        if (is_mute_ && when_cut_off_) {
            farewell_ = loop_.call_after(base::Seconds(0), [callback = std::exchange(when_cut_off_, nullptr)] {
                callback();
                return std::optional<base::Seconds>();
            });
        }
    }

    /// The kernel asks after a quiet connection, but waits a quarter of an hour where something is not acknowledged.
    std::optional<base::Seconds> look_for_loss() {
        const std::lock_guard lock(mutex_);
        const os::BorrowedDescriptor socket(descriptor());
        const auto silence = os::silence_of(socket);
        // A second later than the link to the same host, which then can say why.
        constexpr base::Seconds too_long = Heartbeat::host_is_lost + Heartbeat::interval;
        if (!silence || !silence->host_must_answer || silence->of_host < too_long) {
            return Heartbeat::interval;
        }
        os::shut_down(socket);
        take_in();
        return std::nullopt;
    }

    const std::uint64_t most_out_;
    std::shared_ptr<void> heartbeats_;
    std::function<void()> when_cut_off_;
    std::shared_ptr<void> farewell_;
    FrameOutbox outbox_;
    FrameInbox inbox_;
    std::vector<std::byte> enclosed_;  // with the message that was received last
    // The other end:
    bool is_deaf_ = false;  // is gone
    bool is_mute_ = false;  // is gone, and all it has said was heard; or it has sent nonsense
    bool awaits_room_ = false;
    bool flushes_soon_ = false;
    std::shared_ptr<void> timer_;
};

class SocketMemberEnd final : public SocketChannel {
  public:
    SocketMemberEnd(const ChannelSlots& slots, EventLoop& loop, os::Event woken)
        : SocketChannel(loop, slots.up, slots.down, most_enclosed), woken_(std::move(woken)) {}

    base::Result<> attach(os::FileDescriptor socket) {
        auto watch = loop_.watch(std::move(socket));
        if (!watch) {
            return base::fail(std::move(watch));
        }
        const std::lock_guard lock(mutex_);
        connect(*std::move(watch));
        return {};
    }

    bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) override {
        {
            const std::lock_guard lock(mutex_);
            flush();  // the other end may wait for that
        }
        return wait_by(deadline, patience, ready, [&] {
            os::Polled socket;
            {
                const std::lock_guard lock(mutex_);
                flush();
                take_in();
                socket = {can_take_in() || has_to_send() ? descriptor() : -1, has_to_send(), can_take_in()};
            }
            if (ready()) {
                return true;
            }
            const unsigned was_woken = 1;
            if (!deadline.passed() &&
                (os::poll({{woken_.descriptor()}, socket}, base::next_question(deadline)) & was_woken) != 0) {
                woken_.clear();
            }
            return false;
        });
    }
    void wake() override { woken_.set(); }

  private:
    void call_when_readable() override {}  // `wait` looks

    const os::Event woken_;
};

class SocketEndOfDirector final : public SocketChannel {
  public:
    SocketEndOfDirector(const ChannelSlots& slots, std::uint32_t may_enclose, EventLoop& loop,
                        std::shared_ptr<Waitable> switchboard, std::function<void()> ring_switchboard)
        : SocketChannel(loop, slots.down, slots.up, may_enclose),
          switchboard_(std::move(switchboard)),
          ring_switchboard_(std::move(ring_switchboard)) {
        ++ends_of_directors;
    }
    ~SocketEndOfDirector() override { --ends_of_directors; }
    SocketEndOfDirector(const SocketEndOfDirector&) = delete;
    SocketEndOfDirector& operator=(const SocketEndOfDirector&) = delete;

    base::Result<> attach(os::FileDescriptor socket) {
        auto watch = loop_.watch(std::move(socket));
        if (!watch) {
            return base::fail(std::move(watch));
        }
        const std::lock_guard lock(mutex_);
        if (watch_) {
            return base::fail(ErrorCode::already_exists, "a channel has its connection already");
        }
        connect(*std::move(watch));
        call_when_readable();
        flush();
        return {};
    }
    bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) override {
        return switchboard_->wait(deadline, patience, ready);
    }
    void wake() override { switchboard_->wake(); }

  private:
    // The mutex is held.
    void call_when_readable() override {
        if (!std::exchange(awaits_bytes_, true)) {
            watch_->when_readable([this, weak = weak_from_this()] {
                if (const auto alive = weak.lock()) {
                    {
                        const std::lock_guard lock(mutex_);
                        awaits_bytes_ = false;
                        if (os::has_ended(os::BorrowedDescriptor(descriptor()))) {
                            take_in();  // a loss is known at once, whoever computes
                        }
                    }
                    ring_switchboard_();
                }
            });
        }
    }

    /// Of many that are silent the loop tells which is not: to ask for each would keep a director from its members.
    [[nodiscard]] bool is_worth_a_look() const override { return !awaits_bytes_ || ends_of_directors <= few_ends; }

    static constexpr int few_ends = 64;
    static inline std::atomic<int> ends_of_directors{0};  // in this process

    const std::shared_ptr<Waitable> switchboard_;
    const std::function<void()> ring_switchboard_;
    bool awaits_bytes_ = false;
};

}  // namespace

SocketDirectorEnd make_socket_channel(const ChannelSlots& slots, std::uint32_t may_enclose, EventLoop& loop,
                                      std::shared_ptr<Waitable> switchboard, std::function<void()> ring_switchboard) {
    auto channel = std::make_shared<SocketEndOfDirector>(slots, may_enclose, loop, std::move(switchboard),
                                                         std::move(ring_switchboard));
    return {channel, [channel](os::FileDescriptor socket) { return channel->attach(std::move(socket)); }};
}

base::Result<std::shared_ptr<Channel>> open_socket_channel(const ChannelSlots& slots, os::FileDescriptor socket,
                                                           EventLoop& loop) {
    auto woken = os::Event::create();
    if (!woken) {
        return base::fail(std::move(woken));
    }
    auto channel = std::make_shared<SocketMemberEnd>(slots, loop, *std::move(woken));
    if (auto attached = channel->attach(std::move(socket)); !attached) {
        return base::fail(std::move(attached));
    }
    return channel;
}

}  // namespace staithe::transport
