// Bytes as a socket gives them, in pieces and with descriptors, to the frame decoder; bodies to the decoders of
// messages.
#include <fcntl.h>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/holding/fabric_messages.hpp"
#include "stream/staging/consignment.hpp"
#include "transport/frame.hpp"

using namespace staithe;

namespace {

void handle(const transport::Packet& packet) {
    static_cast<void>(stream::decode_joined(packet.body));
    static_cast<void>(stream::fabric::decode_wish(packet.body));
    static_cast<void>(stream::fabric::decode_bytes(packet.body));
    if (const auto terms = stream::fabric::decode_terms(packet.body)) {
        fuzz::require(terms->address.size() <= 256, "an address is no longer than any can be");
    }
    if (const auto place = stream::fabric::decode_place(packet.body)) {
        fuzz::require(place->offset >= 0 && place->bytes > 0 && place->offset <= INT64_MAX - place->bytes,
                      "memory has an end");
    }
    if (const auto consignment = stream::decode_consignment(packet.body)) {
        fuzz::require(stream::decode_consignment(stream::encode(*consignment))->blocks == consignment->blocks,
                      "what is to be fetched can be passed on");
        static_cast<void>(stream::check(*consignment));
        if (const auto stowage = stream::stow(consignment->blocks)) {
            fuzz::require(stowage->offsets.size() == consignment->blocks.size() && stowage->bytes >= 0,
                          "each block has its place");
        }
    }
    stream::BlockDescription bytes;
    bytes.shape = bytes.box.count = {100};
    const stream::Consignment asked{
        0, "", {{.bytes = 100}}, std::make_shared<const std::vector<stream::BlockDescription>>(1, bytes)};
    if (const auto stowed = stream::decode_stowed(packet.body, asked)) {
        fuzz::require(stream::decode_stowed(stream::encode(*stowed), asked)->blocks == stowed->blocks,
                      "where they lie can be passed on");
        const store::BlockRef& block = stowed->blocks.front();
        fuzz::require(block.offset >= stowed->place && block.bytes >= 0 &&
                          block.bytes <= stowed->bytes - (block.offset - stowed->place),
                      "they lie in the memory that they take");
    }
    for (const auto& [name, value] : packet.body) {
        static_cast<void>(stream::integer_field(packet.body, name, 0, 1 << 20));
        static_cast<void>(stream::text_field(packet.body, name));
        static_cast<void>(transport::text_of(packet.body, name));
    }
    // What came can be said again, and means the same.
    const auto again = transport::encode_frame(packet.body, 0);
    fuzz::require(again.has_value(), "a decoded body can be encoded");
    transport::FrameDecoder decoder;
    decoder.feed(*again, {});
    const auto same = decoder.next();
    fuzz::require(same && *same && base::to_json((*same)->body) == base::to_json(packet.body),
                  "a body that is sent on stays what it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    transport::FrameDecoder decoder;
    transport::FrameDecoder of_session;
    of_session.expect_seals(transport::Seal(std::make_shared<transport::Secret>()));
    while (!input.empty()) {
        const std::uint8_t kind = fuzz::take_byte(input);
        const fuzz::Bytes part = fuzz::take_part(input);
        of_session.feed(fuzz::framed(part, 0), {});
        fuzz::require(!of_session.next().value_or(std::nullopt), "nobody guesses a seal");
        std::vector<os::FileDescriptor> descriptors;
        for (int i = kind >> 4; i > 0; --i) {
            descriptors.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        }
        if (kind % 2 == 0) {
            decoder.feed(part, std::move(descriptors));
        } else {
            decoder.feed(fuzz::framed(part, kind >> 4), std::move(descriptors));
        }
        for (;;) {
            auto packet = decoder.next();
            if (!packet) {
                return 0;  // the link would close
            }
            if (!*packet) {
                break;
            }
            fuzz::require((*packet)->descriptors.size() <= os::max_descriptors_per_message,
                          "no packet has more descriptors than a message may carry");
            handle(**packet);
        }
    }
    return 0;
}
