#include "stream/waiting/awaited.hpp"

#include "stream/directing/protocol.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t last_kind_of_absent = static_cast<std::int64_t>(Awaited::Absent::writers);

}  // namespace

Attributes encode(const Awaited& awaited) {
    List on;
    for (const transport::Peer& peer : awaited.on) {
        on.push_back(encode(peer));
    }
    return {{"reason", awaited.reason},
            {"on", std::move(on)},
            {"absent", static_cast<int>(awaited.absent)},
            {"absent_count", awaited.absent_count},
            {"present", List(awaited.present.begin(), awaited.present.end())}};
}

base::Result<Awaited> decode_awaited(const Attributes& body) {
    const auto reason = text_field(body, "reason");
    const auto absent = integer_field(body, "absent", 0, last_kind_of_absent);
    const auto count = integer_field(body, "absent_count", 0, INT32_MAX);
    const List* const on = list_field(body, "on");
    const List* const present = list_field(body, "present");
    const base::Failure garbled{ErrorCode::protocol, "the director's word on who is waited for is garbled"};
    if (!reason || !absent || !count || on == nullptr || present == nullptr) {
        return tl::unexpected(garbled);
    }
    Awaited awaited{*reason, {}, static_cast<Awaited::Absent>(*absent), static_cast<int>(*count)};
    for (const Value& entry : *on) {
        auto peer = decode_peer(entry, 1);
        if (!peer) {
            return tl::unexpected(garbled);
        }
        awaited.on.push_back(*std::move(peer));
    }
    for (const Value& entry : *present) {
        const std::string* const program = entry.as_string();
        if (program == nullptr) {
            return tl::unexpected(garbled);
        }
        awaited.present.push_back(*program);
    }
    return awaited;
}

}  // namespace staithe::stream
