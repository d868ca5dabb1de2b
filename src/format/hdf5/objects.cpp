#include "format/hdf5/objects.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

#include "base/bytes.hpp"
#include "format/hdf5/checksum.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

constexpr std::string_view header_signature = "OHDR";
constexpr std::string_view block_signature = "OCHK";
constexpr std::uint8_t header_version = 2;
/// Flags of a header: of how many bytes the size of its first block is, and what else it has.
constexpr std::uint8_t size_of_size = 0x03;
constexpr std::uint8_t size_has_four = 0x02;
constexpr std::uint8_t numbers_attributes = 0x04;
constexpr std::uint8_t says_limits = 0x10;
constexpr std::uint8_t says_times = 0x20;
/// Of a message that lies elsewhere, which several objects share.
constexpr std::uint8_t is_shared = 0x02;
constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);
/// Of all blocks of a header: what a file says may be anything.
constexpr std::uint64_t most_bytes_of_header = std::uint64_t{64} << 20;

void encode(std::span<const Message> messages, base::ByteWriter& out) {
    for (const Message& message : messages) {
        out.number(message.kind);
        out.number(static_cast<std::uint16_t>(message.content.size()));
        out.number(std::uint8_t{0});  // flags
        out.raw(message.content);
    }
}

std::size_t bytes_of(std::span<const Message> messages) {
    std::size_t bytes = 0;
    for (const Message& message : messages) {
        bytes += 4 + message.content.size();
    }
    return bytes;
}

base::Result<> check_block(std::span<const std::byte> block, Address address) {
    base::ByteReader end(block.last(std::min(block.size(), checksum_bytes)));
    return block.size() > checksum_bytes &&
                   end.number<std::uint32_t>() == checksum(block.first(block.size() - checksum_bytes))
               ? base::Result<>()
               : fail(ErrorCode::protocol, "the header of an object at {} is damaged", address);
}

/// Links, or attributes, that are many lie in a heap, as HDF5's library keeps them.
bool is_elsewhere(MessageKind kind, std::span<const std::byte> content) {
    if (kind != MessageKind::link_info && kind != MessageKind::attribute_info) {
        return false;
    }
    base::ByteReader in(content);
    static_cast<void>(in.number<std::uint8_t>());  // version
    const bool says_order = (in.number<std::uint8_t>() & 1) != 0;
    in.raw(!says_order ? 0 : kind == MessageKind::link_info ? 8 : 2);
    const auto heap = in.number<Address>();
    return !in.ok() || heap != nowhere;
}

/// `bytes` are those of messages alone.
base::Result<> take_messages(std::span<const std::byte> bytes, bool are_numbered, std::vector<Message>& messages) {
    base::ByteReader in(bytes);
    const std::size_t head = are_numbered ? 6 : 4;
    while (in.left() >= head) {  // what is less is a gap
        const auto kind = in.number<std::uint8_t>();
        const auto size = in.number<std::uint16_t>();
        const auto flags = in.number<std::uint8_t>();
        in.raw(head - 4);
        const auto content = in.raw(size);
        if (!in.ok() || (flags & is_shared) != 0) {
            return fail(ErrorCode::protocol, "an object has a message that this version does not read");
        }
        const auto known = static_cast<MessageKind>(kind);
        if (is_elsewhere(known, content)) {
            return fail(
                ErrorCode::protocol,
                "an object has more links or attributes than its header holds, which this version does not read");
        }
        if (known != MessageKind::nothing) {
            messages.push_back({known, {content.begin(), content.end()}});
        }
    }
    return {};
}

struct FirstBlock {
    std::size_t begins = 0;  // its messages
    std::uint64_t bytes = 0;
    bool are_numbered = false;
};

base::Result<FirstBlock> read_first(const Image& image, Address address) {
    constexpr std::size_t most_before = 6 + 16 + 4 + 8;
    const std::size_t before = image.has(address, most_before) ? most_before : 16;
    const auto head = image.read(address, before);
    if (!head) {
        return fail(head);
    }
    base::ByteReader in(*head);
    const bool is_header = take_signature(in, header_signature);
    const auto of_version = in.number<std::uint8_t>(), flags = in.number<std::uint8_t>();
    if (!is_header || of_version != header_version) {
        return fail(ErrorCode::protocol,
                    "an object at {} has no header of version 2: this is no file that Staithe has recorded", address);
    }
    in.raw(((flags & says_times) != 0 ? 16 : 0) + ((flags & says_limits) != 0 ? 4 : 0));
    FirstBlock first{.are_numbered = (flags & numbers_attributes) != 0};
    const std::size_t size_bytes = std::size_t{1} << (flags & size_of_size);
    const auto size = in.raw(size_bytes);
    for (std::size_t i = 0; i < size.size(); ++i) {
        first.bytes |= static_cast<std::uint64_t>(size[i]) << 8 * i;
    }
    first.begins = before - in.left();
    return in.ok() && first.bytes < UINT32_MAX
               ? base::Result<FirstBlock>(first)
               : fail(ErrorCode::protocol, "the header of an object at {} is damaged", address);
}

}  // namespace

Address add_header(std::span<const Message> messages, Tail& tail) {
    base::ByteWriter out;
    out.raw(header_signature);
    out.number(header_version);
    out.number(size_has_four);
    out.number(static_cast<std::uint32_t>(bytes_of(messages)));
    encode(messages, out);
    out.number(checksum(out.bytes()));
    return tail.add(out.bytes());
}

Continuation add_block(std::span<const Message> messages, Tail& tail) {
    base::ByteWriter out;
    out.raw(block_signature);
    encode(messages, out);
    out.number(checksum(out.bytes()));
    return {.address = tail.add(out.bytes()), .bytes = out.bytes().size()};
}

Message encode_continuation(const Continuation& continuation) {
    base::ByteWriter out;
    out.number(continuation.address);
    out.number(continuation.bytes);
    return {MessageKind::continuation, bytes_in(out)};
}

std::vector<Message> begin_group() {
    base::ByteWriter links;
    links.zeros(2);  // version, flags
    links.number(nowhere);
    links.number(nowhere);  // links are in the header alone
    return {{MessageKind::link_info, {links.bytes().begin(), links.bytes().end()}},
            {MessageKind::group_info, Bytes(2)}};
}

bool is_group(std::span<const Message> messages) { return find_message(messages, MessageKind::link_info) != nullptr; }

base::Result<std::vector<Message>> read_header(const Image& image, Address address) {
    const auto first = read_first(image, address);
    if (!first) {
        return fail(first);
    }
    std::vector<Message> messages;
    std::set<Address> seen;
    std::uint64_t all = 0;
    const auto take = [&](Address at, std::uint64_t bytes, std::size_t begins) -> base::Result<> {
        all += std::min(bytes, most_bytes_of_header);
        if (!seen.insert(at).second || all >= most_bytes_of_header) {
            return fail(ErrorCode::protocol, "the header of an object at {} has no end", address);
        }
        const auto block = image.read(at, bytes);
        auto taken = block ? check_block(*block, at) : fail(block);
        if (!taken || begins + checksum_bytes > block->size()) {
            return taken ? fail(ErrorCode::protocol, "the header of an object at {} is damaged", at) : taken;
        }
        return take_messages(std::span(*block).subspan(begins, block->size() - begins - checksum_bytes),
                             first->are_numbered, messages);
    };
    auto taken = take(address, first->begins + first->bytes + checksum_bytes, first->begins);
    for (std::size_t i = 0; taken && i < messages.size(); ++i) {
        if (messages[i].kind == MessageKind::continuation) {
            base::ByteReader in(messages[i].content);
            const auto at = in.number<Address>();
            taken = take(at, in.number<std::uint64_t>(), block_signature.size());
        }
    }
    if (!taken) {
        return fail(std::move(taken));
    }
    return messages;
}

const Message* find_message(std::span<const Message> messages, MessageKind kind) {
    const auto found = std::ranges::find(messages, kind, &Message::kind);
    return found == messages.end() ? nullptr : &*found;
}

}  // namespace staithe::format::hdf5
