// What comes over the socket of a channel, in pieces: hot messages with what they enclose, and words.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "fuzz/bytes.hpp"
#include "os/socket.hpp"
#include "transport/channel/frames.hpp"

using namespace staithe;

namespace {

constexpr std::uint64_t most_messages = 8;
constexpr std::uint32_t most_enclosed = 1000;

/// What has come is passed on by a channel as it came.
void pass_on(const transport::EnclosingMessage& came, std::vector<std::byte>& expected) {
    const transport::ChannelFrame frame{transport::ChannelFrame::message,
                                        static_cast<std::uint32_t>(came.enclosed.size()), came.message};
    const auto bytes = std::as_bytes(std::span(&frame, 1));
    expected.insert(expected.end(), bytes.begin(), bytes.end());
    expected.insert(expected.end(), came.enclosed.begin(), came.enclosed.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    std::array<int, 2> sockets{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets.data()) == 0,
                  "there are sockets");
    const os::FileDescriptor there(sockets[0]), here(sockets[1]);
    transport::FrameInbox inbox(most_messages, most_enclosed);
    transport::FrameOutbox outbox;
    std::vector<std::byte> expected;
    while (!input.empty()) {
        const fuzz::Bytes piece = input.first(std::min<std::size_t>(input.size(), 700));
        input = input.subspan(piece.size());
        fuzz::require(os::send_some(there, piece, {}).value_or(0) == piece.size(), "the socket takes it");
        const auto taken = inbox.take_in(here);
        while (const auto message = inbox.next()) {
            fuzz::require(message->enclosed.size() <= most_enclosed, "no more is enclosed than may be");
            outbox.add(message->message, message->enclosed);
            pass_on(*message, expected);
        }
        if (taken == transport::FrameInbox::Taken::nonsense) {
            break;
        }
        static_cast<void>(inbox.word(transport::Channel::words - 1));
    }
    std::vector<std::byte> again;
    while (!outbox.empty()) {
        fuzz::require(outbox.flush(here) != transport::FrameOutbox::Flushed::to_nobody, "the other end is there");
        std::vector<std::byte> part(std::size_t{1} << 16);
        const auto received = os::receive_some(there, part);
        again.insert(again.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(received->bytes));
    }
    std::vector<std::byte> rest(std::size_t{1} << 20);
    if (const auto received = os::receive_some(there, rest)) {
        again.insert(again.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(received->bytes));
    }
    fuzz::require(again == expected, "messages that are passed on are what came");
    return 0;
}
