#include "format/hdf5/objects.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>

#include "base/bytes.hpp"
#include "format/hdf5/checksum.hpp"
#include "format/hdf5/dense_storage.hpp"

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

tl::unexpected<base::Failure> shared_message() {
    return fail(ErrorCode::protocol,
                "an object shares a message, such as a named type, with others, which this version does not read");
}

/// `bytes` are those of messages alone, which lie there.
base::Result<> take_messages(std::span<const std::byte> bytes, Address at, bool are_numbered,
                             std::vector<Message>& messages) {
    base::ByteReader in(bytes);
    const std::size_t head = are_numbered ? 6 : 4;
    while (in.left() >= head) {  // what is less is a gap
        const auto kind = in.number<std::uint8_t>();
        const auto size = in.number<std::uint16_t>();
        const auto flags = in.number<std::uint8_t>();
        in.raw(head - 4);
        const auto content = in.raw(size);
        if (!in.ok()) {
            return fail(ErrorCode::protocol, "the header of an object is damaged");
        }
        if ((flags & is_shared) != 0) {
            return shared_message();
        }
        const auto known = static_cast<MessageKind>(kind);
        if (known != MessageKind::nothing) {
            const Address lies = at + (bytes.size() - in.left() - size);
            messages.push_back({known, {content.begin(), content.end()}, lies});
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
        return fail(ErrorCode::protocol, "an object at {} has no header", address);
    }
    in.raw(((flags & says_times) != 0 ? 16 : 0) + ((flags & says_limits) != 0 ? 4 : 0));
    FirstBlock first{.are_numbered = (flags & numbers_attributes) != 0};
    const std::size_t size_bytes = std::size_t{1} << (flags & size_of_size);
    first.bytes = take_integer(in, size_bytes);
    first.begins = before - in.left();
    return in.ok() && first.bytes < UINT32_MAX
               ? base::Result<FirstBlock>(first)
               : fail(ErrorCode::protocol, "the header of an object at {} is damaged", address);
}

/// Of version 1, which has no checksum, and messages in multiples of 8 bytes.
constexpr std::size_t old_head_bytes = 16;

base::Result<> take_old_messages(std::span<const std::byte> bytes, Address at, std::vector<Message>& messages) {
    base::ByteReader in(bytes);
    while (in.left() >= 8) {
        const auto kind = in.number<std::uint16_t>(), size = in.number<std::uint16_t>();
        const auto flags = in.number<std::uint8_t>();
        in.raw(3);
        const auto content = in.raw(size);
        if (!in.ok()) {
            return fail(ErrorCode::protocol, "the header of an object is damaged");
        }
        if ((flags & is_shared) != 0) {
            return shared_message();
        }
        if (kind != 0 && kind <= UINT8_MAX) {
            const Address lies = at + (bytes.size() - in.left() - size);
            messages.push_back({static_cast<MessageKind>(kind), {content.begin(), content.end()}, lies});
        }
    }
    return {};
}

/// Where a header's messages lie, and how they are understood.
struct HeaderFormat {
    FirstBlock first;
    bool is_old = false;
};

base::Result<HeaderFormat> read_format(const Image& image, Address address) {
    const auto head = image.read(address, old_head_bytes);
    if (!head) {
        return fail(head);
    }
    base::ByteReader in(*head);
    if (in.number<std::uint8_t>() != 1 || in.number<std::uint8_t>() != 0) {
        return read_first(image, address).map([](const FirstBlock& first) { return HeaderFormat{first}; });
    }
    in.raw(6);
    return HeaderFormat{.first = {.begins = old_head_bytes, .bytes = in.number<std::uint32_t>()}, .is_old = true};
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

bool is_group(std::span<const Message> messages) {
    return find_message(messages, MessageKind::link_info) != nullptr ||
           find_message(messages, MessageKind::symbol_table) != nullptr;
}

base::Result<std::vector<Message>> read_header(const Image& image, Address address, std::uint64_t& left) {
    const auto format = read_format(image, address);
    if (!format) {
        return fail(format);
    }
    const FirstBlock& first = format->first;
    const std::size_t ends = format->is_old ? 0 : checksum_bytes;
    std::vector<Message> messages;
    std::set<Address> seen;
    std::uint64_t all = 0;
    const auto take = [&](Address at, std::uint64_t bytes, std::size_t begins) -> base::Result<> {
        all += std::min(bytes, most_bytes_of_header);
        if (!seen.insert(at).second || all >= most_bytes_of_header || bytes > left) {
            return fail(ErrorCode::protocol, "the header of an object at {} has no end", address);
        }
        left -= bytes;
        const auto block = image.read(at, bytes);
        auto taken = !block ? base::Result<>(fail(block)) : format->is_old ? base::Result<>() : check_block(*block, at);
        if (!taken || begins + ends > block->size()) {
            return taken ? fail(ErrorCode::protocol, "the header of an object at {} is damaged", at) : taken;
        }
        const auto content = std::span(*block).subspan(begins, block->size() - begins - ends);
        return format->is_old ? take_old_messages(content, at + begins, messages)
                              : take_messages(content, at + begins, first.are_numbered, messages);
    };
    auto taken = take(address, first.begins + first.bytes + ends, first.begins);
    for (std::size_t i = 0; taken && i < messages.size(); ++i) {
        if (messages[i].kind == MessageKind::continuation) {
            base::ByteReader in(messages[i].content);
            const auto at = in.number<Address>();
            taken = take(at, in.number<std::uint64_t>(), format->is_old ? 0 : block_signature.size());
        }
    }
    for (std::size_t i = 0; taken && i < messages.size(); ++i) {
        if (messages[i].kind == MessageKind::link_info || messages[i].kind == MessageKind::attribute_info) {
            auto elsewhere = messages_elsewhere(image, messages[i], left);
            taken = elsewhere ? base::Result<>() : fail(elsewhere);
            if (elsewhere) {
                std::ranges::move(*elsewhere, std::back_inserter(messages));
            }
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
