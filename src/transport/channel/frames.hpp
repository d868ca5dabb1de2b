// What goes over the socket of a channel, in either direction: a frame for each message, and for each change of a word.
//
//     offset 0   u32  kind: 1 a message, 2 a word
//     offset 4   u32  bytes that are enclosed: they follow the frame; 0 with a word
//     offset 8        the message; of a word, `step` is its number, and `offset` its value
//
// Neither waits for the other end. Not thread-safe; the channel locks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "os/file_descriptor.hpp"
#include "transport/channel/channel.hpp"
#include "transport/ring.hpp"

namespace staithe::transport {

struct ChannelFrame {
    enum Kind : std::uint32_t { message = 1, word = 2 };
    std::uint32_t kind = 0;
    std::uint32_t enclosed = 0;
    Message content;
};
static_assert(sizeof(ChannelFrame) == 64 && std::is_trivially_copyable_v<ChannelFrame>);

/// With one message.
constexpr std::uint32_t most_enclosed = std::uint32_t{1} << 30;

/// Frames that the socket has not taken yet.
class FrameOutbox {
  public:
    void add(const Message& message, std::span<const std::byte> enclosed);
    /// The last value counts; it does not come later than a message that is added after it.
    void add_word(std::size_t word, std::int64_t value);
    /// Messages that wait.
    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    /// Of them, with what they enclose.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] bool empty() const { return waiting_.empty() && sent_ == under_way_.size(); }

    enum class Flushed { all, partly, to_nobody };
    /// Hands over what the socket takes.
    Flushed flush(const os::FileDescriptor& socket);

  private:
    struct Waiting {
        ChannelFrame frame;
        std::vector<std::byte> enclosed;
    };
    void copy_out();

    std::deque<Waiting> waiting_;
    std::uint64_t messages_ = 0;
    std::size_t bytes_ = 0;
    std::vector<std::byte> under_way_;  // of the frames before those; may have been sent in part
    std::size_t sent_ = 0;              // of them
};

struct EnclosingMessage {
    Message message;
    std::vector<std::byte> enclosed;
};

/// Frames that came. What comes is untrusted.
class FrameInbox {
  public:
    /// More than `most_enclosed` bytes with a message make no sense.
    FrameInbox(std::uint64_t most_messages, std::uint32_t most_enclosed)
        : most_messages_(most_messages), most_enclosed_(most_enclosed) {}

    enum class Taken {
        all,       // that was there
        a_lot,     // more may be there: one that floods the socket keeps nobody
        the_last,  // the other end is gone
        nonsense,
    };
    /// Takes in what is there, as long as there is room for more messages.
    Taken take_in(const os::FileDescriptor& socket);
    [[nodiscard]] bool has_room() const { return messages_.size() < most_messages_ && bytes_ < most_bytes; }

    /// The next message, if there is one.
    std::optional<EnclosingMessage> next();
    [[nodiscard]] std::int64_t word(std::size_t number) const { return words_.at(number); }

  private:
    /// Enclosed in messages that nobody has taken: beyond it the other end has to wait.
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

    bool sort();

    const std::uint64_t most_messages_;
    const std::uint32_t most_enclosed_;
    std::deque<EnclosingMessage> messages_;
    std::size_t bytes_ = 0;
    std::array<std::int64_t, Channel::words> words_{};
    std::vector<std::byte> portion_;  // as the socket gave it
    std::vector<std::byte> raw_;      // that makes no whole frame yet
    bool was_cut_off_ = false;
};

}  // namespace staithe::transport
