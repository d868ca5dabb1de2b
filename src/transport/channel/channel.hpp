// A channel: the way that hot messages take between a member of a stream, in whatever process, and the director.
//
// This is one end of it. What is sent arrives, in order, unless the other end breaks. Beside that each end shows the
// other some words, of which the last value counts. Two threads may use an end at once, one that sends and shows, and
// one that receives and waits; `wake` is for any. The other end is not trusted: what it does to the channel garbles
// what comes out of it, and nothing else, so what comes out is to be checked.
//
// Ways: shared memory (shared_channel.hpp), sockets (socket_channel.hpp). The director makes channels with a
// Switchboard (switchboard.hpp), at which it waits for news from all its members; a member opens what it was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "transport/event_loop.hpp"
#include "transport/ring.hpp"
#include "transport/waitable.hpp"

namespace staithe::transport {

class Channel : public Waitable {
  public:
    /// That each end shows the other, counted from 0; zero at first.
    static constexpr std::size_t words = 8;

    /// To the other end, which wakes if it sleeps. False if that takes no more, which means that it is broken: a
    /// channel is made for as many messages as can be under way. Does not block.
    ///
    /// `enclosed` is what the message names in memory of this side: copied and carried along where the other end does
    /// not see that memory itself.
    bool send(const Message& message, std::span<const std::byte> enclosed = {}) {
        const bool sent = leave(message, enclosed);
        ring();
        return sent;
    }
    /// The same, of what the other end can do without for a moment: where a message costs a call of the kernel it
    /// waits, for less than a millisecond, for others to go along with.
    virtual bool send_soon(const Message& message, std::span<const std::byte> enclosed) {
        return send(message, enclosed);
    }
    bool send_soon(const Message& message) { return send_soon(message, {}); }
    /// The same, for the other end to find when it next looks: `ring` if it may sleep until then.
    virtual bool leave(const Message& message, std::span<const std::byte> enclosed) = 0;
    bool leave(const Message& message) { return leave(message, {}); }

    /// The next message of the other end; false if there is none now.
    virtual bool receive(Message& message) = 0;
    /// What was enclosed with the message that was received last; nothing where this end sees the other's memory.
    virtual std::optional<std::vector<std::byte>> take_enclosed() { return std::nullopt; }

    /// Hands at most `most` messages to `take`, and returns how many: an end that floods its channel must not keep the
    /// other in a loop. As many as `most` means that there may be more.
    template <class Take>
    std::size_t drain(std::size_t most, Take&& take) {
        std::size_t count = 0;
        for (Message message; count < most && receive(message); ++count) {
            take(message);
        }
        return count;
    }

    /// The other end sees the word's value when it looks, at the latest with what is sent after it. Wakes nobody.
    virtual void show(std::size_t word, std::int64_t value) = 0;
    /// What the other end shows.
    [[nodiscard]] virtual std::int64_t shown(std::size_t word) = 0;

    /// Has the other end look, if it sleeps: after `show`, if it may wait for that.
    virtual void ring() = 0;

    /// Whether it has a connection of its own, by which more may come.
    [[nodiscard]] virtual bool is_connected() { return false; }
    /// Has this called once, in the loop's thread, when that connection has ended and what came before was taken in.
    virtual void when_cut_off(std::function<void()> callback) = 0;
    /// Whether all that was sent is with the other end's host, if not with itself.
    [[nodiscard]] virtual bool has_delivered() { return true; }
};

/// Whether the member that a channel is described for sees memory of the director; else messages enclose it.
bool sees_memory(const Attributes& description);

/// The member's end, of what Switchboard::connect_member made for it and another process sent: `protocol` if that is no
/// channel. Takes the descriptors that belong to it; a few stay open, what is mapped is closed. What a socket does not
/// take at once the loop sends later.
base::Result<std::shared_ptr<Channel>> open_channel(const Attributes& description,
                                                    std::vector<os::FileDescriptor> descriptors, EventLoop& loop);

}  // namespace staithe::transport
