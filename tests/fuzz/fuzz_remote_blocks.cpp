// Both sides of a connection for blocks: what is asked of one that holds them, and what answers one that wants them.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/bytes.hpp"
#include "os/shared_memory.hpp"
#include "os/vectored.hpp"
#include "store/devices/devices.hpp"
#include "store/remote/lane.hpp"
#include "store/remote/reducing.hpp"
#include "store/remote/serving.hpp"

using namespace staithe;
using namespace staithe::store;

namespace {

constexpr std::int64_t pool_bytes = 4096;
constexpr std::int64_t most_times_larger = 8;  // bytes of which each becomes a sum
constexpr std::int64_t most_bytes = most_times_larger * remote::most_coded_bytes;

std::pair<os::FileDescriptor, os::FileDescriptor> connected() {
    std::array<int, 2> ends{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "there are sockets");
    return {os::FileDescriptor(ends[0]), os::FileDescriptor(ends[1])};
}

/// Bytes over a socket, as much as it takes and gives now.
std::size_t send(const os::FileDescriptor& socket, std::span<std::byte>& unsent) {
    const std::size_t sent = unsent.empty() ? 0 : os::send_parts(socket, std::span(&unsent, 1)).value_or(0);
    unsent = unsent.subspan(sent);
    return sent;
}

/// Every reply says how long it is, and what follows is the next one.
class Replies {
  public:
    void take(fuzz::Bytes bytes) {
        while (!bytes.empty()) {
            const auto skipped = std::min<std::size_t>(bytes.size(), content_);
            content_ -= skipped;
            bytes = bytes.subspan(skipped);
            const auto of_header = std::min(bytes.size(), sizeof(remote::ReplyHeader) - header_.size());
            header_.insert(header_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(of_header));
            bytes = bytes.subspan(of_header);
            if (header_.size() == sizeof(remote::ReplyHeader)) {
                remote::ReplyHeader reply;
                std::memcpy(&reply, header_.data(), sizeof(reply));
                fuzz::require(reply.magic == remote::ReplyHeader::known_magic, "a reply begins where it should");
                fuzz::require(reply.bytes > 0 && reply.bytes <= most_bytes,
                              "no more is given than there is, or is computed at once");
                content_ = static_cast<std::size_t>(reply.bytes);
                header_.clear();
            }
        }
    }

  private:
    std::vector<std::byte> header_;
    std::size_t content_ = 0;
};

void ask(fuzz::Bytes input) {
    static const auto stores = [] {
        auto file = os::create_memory_file("pool").value();
        fuzz::require(::ftruncate(file.get(), pool_bytes) == 0, "there is memory");
        auto all = std::make_shared<remote::Stores>();
        all->emplace(0, std::make_shared<transport::PoolFile>(file.duplicate().value()));
        all->emplace(1, std::make_shared<transport::MappedPool>(std::move(file)));
        return all;
    }();
    auto [client, server] = connected();
    remote::Serving serving(std::move(server), remote::find_in(stores), std::make_shared<remote::Traffic>(),
                            std::make_shared<remote::EncodedParts>(),
                            std::make_shared<devices::Devices>(std::vector<devices::Device>()));
    std::vector<std::byte> requests(input.begin(), input.end());
    std::span<std::byte> unsent = requests;
    std::vector<std::byte> buffer(1 << 16);
    const std::span<std::byte> room = buffer;
    Replies replies;
    for (;;) {
        const std::size_t sent = send(client, unsent);
        const bool goes_on = serving.take_turn(1 << 20).has_value();
        const std::size_t received = os::receive_parts(client, std::span(&room, 1)).value_or(0);
        replies.take(room.first(received));
        if (!goes_on || (sent == 0 && received == 0)) {
            return;
        }
    }
}

void answer(fuzz::Bytes input) {
    BlockDescription block;
    block.variable = "x";
    block.dtype = Dtype::i16;
    block.shape = block.box.count = {8, 10};
    block.box.offset = {0, 0};
    const BlockRef ref{.bytes = 160};
    std::vector<float> values(8 * 10);
    std::vector<std::int16_t> numbers(8 * 10);
    const Piece whole{0, &block, {{{0, 0}, {8, 10}}, Selection::all({8, 10})}};
    const Piece some{0, &block, {{{1, 2}, {2, 3}}, {Slice{7, -3, 2}, Slice{0, 4, 3}}}};
    const auto converted = MutableArrayView::row_major(values.data(), Dtype::f32, {8, 10});
    const auto copied = MutableArrayView::row_major(numbers.data(), Dtype::i16, {8, 10});

    auto [client, server] = connected();
    remote::Lane lane(std::move(client), "peer");
    auto sums = reducing::Reduction::make("sum", Dtype::i16, Box::whole({8, 10}), {{1}}).value();
    std::vector<remote::Transfer> transfers{remote::Transfer::of(whole, ref, copied),
                                            remote::Transfer::of(some, ref, converted),
                                            remote::Transfer::of(some, ref, copied)};
    remote::append_to_reduce(transfers, remote::Transfer::of(whole, ref, sums.states()), sums.recipe());
    transfers[0].offer = std::make_shared<const remote::Offer>(remote::Offer{.variable = "x", .dtype = Dtype::i16});
    lane.ask(transfers);
    std::vector<std::byte> replies(input.begin(), input.end());
    std::span<std::byte> unsent = replies;
    for (;;) {
        const std::size_t sent = send(server, unsent);
        const auto advanced = lane.advance();
        if (!advanced || lane.is_finished() || (sent == 0 && !*advanced)) {
            return;
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    if (fuzz::take_byte(input) % 2 == 0) {
        ask(input);
    } else {
        answer(input);
    }
    return 0;
}
