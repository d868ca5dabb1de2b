#include "transport/channel/socket_channel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <span>
#include <utility>

#include "os/event.hpp"
#include "os/socket.hpp"

namespace staithe::transport {
namespace {

struct ChannelFrame {
    enum Kind : std::uint64_t { message = 1, word = 2 };
    std::uint64_t kind = 0;
    Message content;
};
static_assert(sizeof(ChannelFrame) == 64 && std::is_trivially_copyable_v<ChannelFrame>);

class SocketChannel : public Channel {
  public:
    bool leave(const Message& message) override {
        const std::lock_guard lock(mutex_);
        flush();
        if (is_deaf_ || waiting_messages_ >= most_out_) {
            return false;
        }
        outbox_.push_back({ChannelFrame::message, message});
        ++waiting_messages_;
        flush();
        return true;
    }

    bool receive(Message& message) override {
        const std::lock_guard lock(mutex_);
        flush();
        if (inbox_.empty()) {
            take_in();
        }
        if (inbox_.empty()) {
            return false;
        }
        message = inbox_.front();
        inbox_.pop_front();
        return true;
    }

    void show(std::size_t word, std::int64_t value) override {
        Message content;
        content.step = word;
        content.offset = value;
        const std::lock_guard lock(mutex_);
        // The last value counts, but it must not come later than a message that was sent after it.
        const auto last_message = std::find_if(outbox_.rbegin(), outbox_.rend(), [](const ChannelFrame& frame) {
            return frame.kind == ChannelFrame::message;
        });
        const auto same = std::find_if(outbox_.rbegin(), last_message,
                                       [&](const ChannelFrame& frame) { return frame.content.step == word; });
        if (same != last_message) {
            same->content = content;
        } else {
            outbox_.push_back({ChannelFrame::word, content});
        }
        flush();
    }

    std::int64_t shown(std::size_t word) override {
        const std::lock_guard lock(mutex_);
        take_in();
        return words_.at(word);
    }

    void ring() override {}  // a frame does that

  protected:
    SocketChannel(std::uint64_t most_out, std::uint64_t most_in) : most_out_(most_out), most_in_(most_in) {}

    [[nodiscard]] virtual int descriptor() const = 0;
    virtual void call_when_readable() = 0;
    virtual void call_when_writable() = 0;

    // The mutex is held.
    void flush() {
        while (!is_deaf_ && !outbox_.empty()) {
            const auto frame = std::as_bytes(std::span(&outbox_.front(), 1));
            const auto sent = os::send_some(os::BorrowedDescriptor(descriptor()), frame, {});
            if (!sent) {
                is_deaf_ = true;  // what it has sent before is good all the same
            } else if (*sent == 0) {
                call_when_writable();
                return;
            } else {
                waiting_messages_ -= outbox_.front().kind == ChannelFrame::message ? 1 : 0;
                outbox_.pop_front();
            }
        }
    }

    // At most as much as a full inbox, and all words once: who floods the socket keeps nobody here.
    void take_in() {
        for (std::uint64_t turn = 0; turn < most_in_ + words && !is_mute_ && inbox_.size() < most_in_; ++turn) {
            std::array<std::byte, sizeof(ChannelFrame) + 1> bytes{};  // one more shows a frame that is too long
            const auto received = os::receive_some(os::BorrowedDescriptor(descriptor()), bytes);
            if (received && received->open && received->bytes == 0) {
                call_when_readable();
                return;
            }
            if (received && !received->open && !std::exchange(was_cut_off_, true)) {
                continue;  // it went without having heard all, of which the kernel tells before what it has sent
            }
            ChannelFrame frame;
            std::memcpy(&frame, bytes.data(), sizeof(frame));
            const bool is_whole = received && received->bytes == sizeof(frame) && received->descriptors.empty();
            if (is_whole && frame.kind == ChannelFrame::message) {
                inbox_.push_back(frame.content);
            } else if (is_whole && frame.kind == ChannelFrame::word && frame.content.step < words) {
                words_[frame.content.step] = frame.content.offset;
            } else {
                is_mute_ = true;
                is_deaf_ = is_deaf_ || !received || received->open;  // nothing is said to who sends nonsense
            }
        }
    }

    std::mutex mutex_;

    [[nodiscard]] bool can_take_in() const { return !is_mute_ && inbox_.size() < most_in_; }
    [[nodiscard]] bool has_to_send() const { return !is_deaf_ && !outbox_.empty(); }

  private:
    const std::uint64_t most_out_;
    const std::uint64_t most_in_;
    std::deque<ChannelFrame> outbox_;
    std::uint64_t waiting_messages_ = 0;
    std::deque<Message> inbox_;
    std::array<std::int64_t, words> words_{};
    // The other end:
    bool is_deaf_ = false;  // is gone
    bool is_mute_ = false;  // is gone, and all it has said was heard; or it has sent nonsense
    bool was_cut_off_ = false;
};

class SocketMemberEnd final : public SocketChannel {
  public:
    SocketMemberEnd(const ChannelSlots& slots, os::FileDescriptor socket, os::Event woken)
        : SocketChannel(slots.up, slots.down), socket_(std::move(socket)), woken_(std::move(woken)) {}

    bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) override {
        return wait_by(deadline, patience, ready, [&] {
            os::Polled socket;
            {
                const std::lock_guard lock(mutex_);
                flush();
                take_in();
                socket = {can_take_in() || has_to_send() ? socket_.get() : -1, has_to_send(), can_take_in()};
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
    [[nodiscard]] int descriptor() const override { return socket_.get(); }
    void call_when_readable() override {}  // `wait` looks
    void call_when_writable() override {}

    const os::FileDescriptor socket_;
    const os::Event woken_;
};

class SocketEndOfDirector final : public SocketChannel, public std::enable_shared_from_this<SocketEndOfDirector> {
  public:
    SocketEndOfDirector(const ChannelSlots& slots, std::shared_ptr<Watch> watch, std::shared_ptr<Waitable> switchboard,
                        std::function<void()> ring_switchboard)
        : SocketChannel(slots.down, slots.up),
          watch_(std::move(watch)),
          switchboard_(std::move(switchboard)),
          ring_switchboard_(std::move(ring_switchboard)) {}

    void begin() {
        const std::lock_guard lock(mutex_);
        call_when_readable();
    }
    bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) override {
        return switchboard_->wait(deadline, patience, ready);
    }
    void wake() override { switchboard_->wake(); }

  private:
    [[nodiscard]] int descriptor() const override { return watch_->descriptor(); }

    // The mutex is held.
    void call_when_readable() override {
        if (!std::exchange(awaits_bytes_, true)) {
            watch_->when_readable([weak = weak_from_this()] {
                if (const auto self = weak.lock()) {
                    {
                        const std::lock_guard lock(self->mutex_);
                        self->awaits_bytes_ = false;
                    }
                    self->ring_switchboard_();
                }
            });
        }
    }
    void call_when_writable() override {
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

    const std::shared_ptr<Watch> watch_;
    const std::shared_ptr<Waitable> switchboard_;
    const std::function<void()> ring_switchboard_;
    bool awaits_bytes_ = false;
    bool awaits_room_ = false;
};

}  // namespace

base::Result<SocketDirectorEnd> make_socket_channel(const ChannelSlots& slots, EventLoop& loop,
                                                    std::shared_ptr<Waitable> switchboard,
                                                    std::function<void()> ring_switchboard) {
    auto sockets = os::create_socket_pair();
    if (!sockets) {
        return base::fail(std::move(sockets));
    }
    auto watch = loop.watch(std::move(sockets->first));
    if (!watch) {
        return base::fail(std::move(watch));
    }
    auto channel = std::make_shared<SocketEndOfDirector>(slots, *std::move(watch), std::move(switchboard),
                                                         std::move(ring_switchboard));
    channel->begin();
    return SocketDirectorEnd{std::move(channel), std::move(sockets->second)};
}

base::Result<std::shared_ptr<Channel>> open_socket_channel(const ChannelSlots& slots, os::FileDescriptor socket) {
    auto woken = os::Event::create();
    if (!woken) {
        return base::fail(std::move(woken));
    }
    return std::make_shared<SocketMemberEnd>(slots, std::move(socket), *std::move(woken));
}

}  // namespace staithe::transport
