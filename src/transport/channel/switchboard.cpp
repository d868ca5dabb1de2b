#include "transport/channel/switchboard.hpp"

#include <exception>
#include <utility>

#include "base/config.hpp"
#include "base/log.hpp"
#include "os/socket.hpp"
#include "transport/channel/shared_channel.hpp"
#include "transport/channel/socket_channel.hpp"

namespace staithe::transport {
namespace {

/// While news keep coming the loop's thread does not go back to the kernel for them, for so long: it has other
/// descriptors to watch.
constexpr std::chrono::milliseconds longest_attention{1};

/// A setting for tests alone: channels over sockets in place of shared memory.
bool uses_sockets() { return base::environment("STAITHE_TEST_CHANNEL") == "socket"; }

}  // namespace

Switchboard::Switchboard(EventLoop& loop, OnNews on_news, Doorbell doorbell, os::Event woken)
    : loop_(loop), on_news_(std::move(on_news)), doorbell_(std::move(doorbell)), woken_(std::move(woken)) {}

base::Result<std::shared_ptr<Switchboard>> Switchboard::create(EventLoop& loop, OnNews on_news) {
    auto doorbell = Doorbell::create();
    if (!doorbell) {
        return base::fail(std::move(doorbell));
    }
    auto woken = os::Event::create();
    if (!woken) {
        return base::fail(std::move(woken));
    }
    return std::shared_ptr<Switchboard>(
        new Switchboard(loop, std::move(on_news), *std::move(doorbell), *std::move(woken)));
}

base::Result<Switchboard::Connection> Switchboard::connect_member(std::uint64_t down_slots, std::uint64_t up_slots,
                                                                  Member member, std::uint32_t may_enclose) {
    const ChannelSlots slots{down_slots, up_slots};
    Connection connection;
    connection.description = {{"down_slots", static_cast<std::int64_t>(down_slots)},
                              {"up_slots", static_cast<std::int64_t>(up_slots)}};
    if (member == Member::far || uses_sockets()) {
        auto made = make_socket_channel(slots, may_enclose, loop_, shared_from_this(), [weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->doorbell_.ring();
            }
        });
        connection.channel = std::move(made.channel);
        connection.attach = std::move(made.attach);
        connection.description["way"] = "socket";
    }
    if (member == Member::far) {
        return connection;
    }
    if (connection.attach) {
        auto sockets = os::create_socket_pair();
        if (!sockets) {
            return base::fail(std::move(sockets));
        }
        if (auto attached = connection.attach(std::move(sockets->first)); !attached) {
            return base::fail(std::move(attached));
        }
        connection.descriptors.push_back(std::move(sockets->second));
        return connection;
    }
    auto button = doorbell_.button();
    if (!button) {
        return base::fail(std::move(button));
    }
    auto made = make_shared_channel(slots, shared_from_this());
    if (!made) {
        return base::fail(std::move(made));
    }
    connection.channel = std::move(made->channel);
    connection.description["way"] = "memory";
    connection.descriptors.push_back(std::move(made->segment));
    connection.descriptors.push_back(std::move(button->pipe));
    connection.descriptors.push_back(std::move(button->page));
    return connection;
}

base::Result<> Switchboard::listen(bool on) {
    const std::lock_guard lock(mutex_);
    if (on == listening_) {
        return {};
    }
    if (on) {
        auto end = doorbell_.read_end().duplicate();
        auto watch = end ? loop_.watch(*std::move(end),
                                       [weak = weak_from_this()] {
                                           const auto self = weak.lock();
                                           return self && self->attend();
                                       })
                         : base::fail(std::move(end));
        if (!watch) {
            return base::fail(std::move(watch));
        }
        watch_ = *std::move(watch);
        doorbell_.add_sleeper();
        listening_ = true;
        doorbell_.ring_always();
        return {};
    }
    listening_ = false;
    if (!attending_) {
        doorbell_.remove_sleeper();
    }
    watch_.reset();
    wake();  // whoever waits has to look for itself from now on
    return {};
}

bool Switchboard::look() {
    try {
        return on_news_();
    } catch (const std::exception& error) {
        base::log(base::LogLevel::error, "news of a stream's members led to: {}", error.what());
        return false;
    }
}

// In the loop's thread. While it attends it does not count as a sleeper.
bool Switchboard::attend() {
    doorbell_.empty();
    {
        const std::lock_guard lock(mutex_);
        if (!listening_) {
            return false;
        }
        attending_ = true;
        doorbell_.remove_sleeper();
    }
    const auto end = base::Clock::now() + longest_attention;
    look();
    while (listening_ && spin(patience_, [this] { return look(); }) && base::Clock::now() < end) {
    }
    {
        const std::lock_guard lock(mutex_);
        attending_ = false;
        if (!listening_) {
            return false;
        }
        doorbell_.add_sleeper();
    }
    if (look()) {
        doorbell_.ring_always();  // more may be left: other descriptors first
    }
    return true;
}

bool Switchboard::wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) {
    constexpr unsigned was_woken = 1;
    constexpr unsigned was_rung = 2;
    return wait_by(deadline, patience, ready, [&] {
        // In this order: who calls `wake` or `listen` from now on finds it waiting, or it finds what led to that.
        waiting_.fetch_add(1, std::memory_order_seq_cst);
        const bool is_alone = !listening_.load(std::memory_order_seq_cst);
        if (is_alone) {
            doorbell_.add_sleeper();
        }
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const bool now_ready = ready();
        unsigned reasons = 0;
        if (!now_ready && !deadline.passed()) {
            reasons = os::poll({{woken_.descriptor()}, {is_alone ? doorbell_.read_end().get() : -1}},
                               base::next_question(deadline));
        }
        if (is_alone) {
            doorbell_.remove_sleeper();
        }
        waiting_.fetch_sub(1, std::memory_order_seq_cst);
        // Before it looks again: what is set or rung later ends the next sleep.
        if ((reasons & was_woken) != 0) {
            woken_.clear();
        }
        if ((reasons & was_rung) != 0) {
            doorbell_.empty();
        }
        return now_ready;
    });
}

void Switchboard::wake() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_relaxed) != 0) {
        woken_.set();
    }
}

}  // namespace staithe::transport
