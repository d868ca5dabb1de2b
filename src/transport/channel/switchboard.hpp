// The director's side of a stream's channels: many members, and one place to sleep until one of them has news.
//
// Either the event loop's thread attends to the members whenever there is news (`listen(true)`), or nobody does but the
// thread that waits here: then members of a director that computes pay nothing for waking it. doorbell.hpp says how no
// news is lost. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "os/event.hpp"
#include "os/file_descriptor.hpp"
#include "transport/channel/channel.hpp"
#include "transport/channel/doorbell.hpp"
#include "transport/event_loop.hpp"
#include "transport/waitable.hpp"

namespace staithe::transport {

class Switchboard final : public Waitable, public std::enable_shared_from_this<Switchboard> {
  public:
    /// Looks at all channels, and says whether there was any news. May leave some for the next call: then it says true.
    using OnNews = std::function<bool()>;

    /// `on_news` runs in the loop's thread while `listen` is on; what it throws is logged. The loop outlives this.
    static base::Result<std::shared_ptr<Switchboard>> create(EventLoop& loop, OnNews on_news);

    /// The director's end of a new channel, and what its member needs to open the other one (open_channel): send it
    /// both, and let go of the descriptors. `down_slots` and `up_slots` are messages that may be under way to the
    /// member and from it, as ring_slots() gives them.
    struct Connection {
        std::shared_ptr<Channel> channel;
        Attributes description;
        std::vector<os::FileDescriptor> descriptors;
        /// Of a member that no descriptor reaches: takes the connection that it makes, from any thread, once. The
        /// member opens its end with that as the only descriptor. What is sent before waits.
        std::function<base::Result<>(os::FileDescriptor socket)> attach;
    };
    enum class Member { near, far };  // on this host, or on another one
    /// It may enclose so many bytes with a message.
    base::Result<Connection> connect_member(std::uint64_t down_slots, std::uint64_t up_slots,
                                            Member member = Member::near, std::uint32_t may_enclose = 0);

    /// Whether the loop's thread attends to news from now on. It looks once at what is there already; switched off, it
    /// may be in the middle of looking.
    base::Result<> listen(bool on);

    /// Wherever an end of the director's waits, it waits here: for news of any member, or of `wake`. `ready` looks at
    /// all channels, unless the loop's thread does, which then wakes this one if what it waits for has come.
    bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) override;
    void wake() override;

  private:
    Switchboard(EventLoop& loop, OnNews on_news, Doorbell doorbell, os::Event woken);
    bool look();
    bool attend();

    EventLoop& loop_;
    const OnNews on_news_;
    Doorbell doorbell_;
    const os::Event woken_;
    std::atomic<int> waiting_{0};
    std::atomic<bool> listening_{false};
    std::mutex mutex_;  // of listening_ and attending_ together
    bool attending_ = false;
    Patience patience_;  // of the loop's thread
    std::shared_ptr<Watch> watch_;
};

}  // namespace staithe::transport
