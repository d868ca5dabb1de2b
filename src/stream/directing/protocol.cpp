#include "stream/directing/protocol.hpp"

#include "base/value_codec.hpp"

namespace staithe::stream {

transport::Message hot_message(Hot kind, std::int64_t step, int rank) {
    transport::Message message;
    message.kind = static_cast<std::uint32_t>(kind);
    message.rank = static_cast<std::uint32_t>(rank);
    message.step = static_cast<std::uint64_t>(step);
    return message;
}

transport::Message announcement(std::int64_t step, const StepEntry& entry) {
    transport::Message message;
    message.kind = static_cast<std::uint32_t>(entry.block ? Hot::announce_block : Hot::announce);
    message.step = static_cast<std::uint64_t>(step);
    if (entry.block) {
        message.rank = entry.block->store;
        message.offset = entry.block->offset;
        message.bytes = entry.block->bytes;
        message.encoding = static_cast<std::uint16_t>(entry.block->encoding);
        message.version = entry.block->version;
    } else {
        message.offset = entry.table.offset;
        message.bytes = entry.table.bytes;
    }
    return message;
}

store::BlockRef block_in(const transport::Message& message) {
    return {.store = message.rank,
            .encoding = static_cast<store::Encoding>(message.encoding),
            .version = message.version,
            .offset = message.offset,
            .bytes = message.bytes};
}

std::string channel_purpose(const std::string& stream, std::int64_t member) {
    return fmt::format("channel of member {} of stream {}", member, stream);
}

std::string failure_line(std::string_view reason) {
    std::string line;
    for (const char character : reason.substr(0, reason.find('\n'))) {
        const auto byte = static_cast<unsigned char>(character);
        line.push_back(byte < 0x20 || byte == 0x7f ? ' ' : character);
    }
    // Not in the middle of a character: those that go on are 10xxxxxx.
    for (std::size_t end = most_failure_bytes; line.size() > most_failure_bytes; --end) {
        if ((static_cast<unsigned char>(line[end]) & 0xc0) != 0x80) {
            line.resize(end);
        }
    }
    return base::check(line) ? line : "(what it said is no UTF-8 text)";
}

Attributes encode(const Joined& joined) {
    List writers;
    for (const transport::Peer& peer : joined.writer_of) {
        writers.push_back(encode(peer));
    }
    List depots(joined.depots.begin(), joined.depots.end());
    return {{"member", joined.member},
            {"channel", joined.channel},
            {"writers", joined.writers},
            {"first_step", joined.first_step},
            {"queue_steps", joined.queue.steps},
            {"queue_bytes", joined.queue.bytes},
            {"spill_bytes", joined.queue.spill_bytes},
            {"compresses", joined.queue.compresses},
            {"on_request", joined.on_request},
            {"attributes", joined.attributes},
            {"writer_of", std::move(writers)},
            {"server", joined.server},
            {"depots", std::move(depots)},
            {"depot_service", joined.depot_service},
            {"twin", joined.twin}};
}

std::string twin_of(const std::string& stream) { return stream + ".twin"; }

std::string Joined::director() const { return server.empty() ? "writer rank 0" : fmt::format("server '{}'", server); }

base::Result<Joined> decode_joined(const Attributes& body) {
    Joined joined;
    const auto member = integer_field(body, "member", 0, INT64_MAX);
    const auto writers = integer_field(body, "writers", 1, most_ranks);
    const auto queue_steps = integer_field(body, "queue_steps", 1, INT32_MAX);
    const auto queue_bytes = integer_field(body, "queue_bytes", 1, INT64_MAX);
    const auto first_step = integer_field(body, "first_step", 0, INT64_MAX);
    const auto spill_bytes = integer_field(body, "spill_bytes", 0, INT64_MAX);
    for (const auto* field : {&member, &writers, &queue_steps, &queue_bytes, &first_step, &spill_bytes}) {
        if (!*field) {
            return base::fail(*field);
        }
    }
    const auto server = text_field(body, "server");
    auto depot_service = text_field(body, "depot_service");
    auto twin = text_field(body, "twin");
    const List* const depots = list_field(body, "depots");
    if (!server || !depot_service || !twin || depots == nullptr || depots->size() > most_depots) {
        return base::fail(ErrorCode::protocol, "the director does not say whether a server directs the stream");
    }
    const Value* attributes = find(body, "attributes");
    const Value* channel = find(body, "channel");
    const Value* compresses = find(body, "compresses");
    const Value* peers = find(body, "writer_of");
    const Value* on_request = find(body, "on_request");
    if (on_request == nullptr || !on_request->as_bool() || compresses == nullptr || !compresses->as_bool() ||
        attributes == nullptr || attributes->as_map() == nullptr || peers == nullptr || peers->as_list() == nullptr ||
        channel == nullptr || channel->as_map() == nullptr) {
        return base::fail(ErrorCode::protocol, "the director's answer is garbled");
    }
    joined.member = *member;
    joined.channel = *channel->as_map();
    joined.writers = static_cast<int>(*writers);
    joined.first_step = *first_step;
    joined.queue = {static_cast<int>(*queue_steps), *queue_bytes, *spill_bytes, *compresses->as_bool()};
    joined.on_request = *on_request->as_bool();
    joined.attributes = *attributes->as_map();
    joined.server = failure_line(*server);
    for (const Value& depot : *depots) {
        if (depot.as_string() == nullptr) {
            return base::fail(ErrorCode::protocol, "the director's list of depots is garbled");
        }
        joined.depots.push_back(*depot.as_string());
    }
    joined.depot_service = *std::move(depot_service);
    joined.twin = *std::move(twin);
    for (const Value& entry : *peers->as_list()) {
        auto peer = decode_peer(entry, 0);
        if (!peer) {
            return base::fail(ErrorCode::protocol, "the director's list of writer ranks is garbled");
        }
        joined.writer_of.push_back(*std::move(peer));
    }
    if (joined.writer_of.size() != static_cast<std::size_t>(joined.writers)) {
        return base::fail(ErrorCode::protocol, "the director names {} of its {} writer ranks", joined.writer_of.size(),
                          joined.writers);
    }
    return joined;
}

Value encode(const transport::Peer& peer) {
    return Attributes{{"program", peer.program}, {"host", peer.host}, {"pid", peer.pid}};
}

base::Result<transport::Peer> decode_peer(const Value& entry, std::int64_t least_pid) {
    const Attributes none;
    const Attributes& fields = entry.as_map() == nullptr ? none : *entry.as_map();
    const auto program = text_field(fields, "program");
    const auto host = text_field(fields, "host");
    const auto pid = integer_field(fields, "pid", least_pid, INT32_MAX);
    if (!program || !host || !pid) {
        return base::fail(ErrorCode::protocol, "a process is not named as it should be");
    }
    return transport::Peer{*program, *host, static_cast<int>(*pid)};
}

}  // namespace staithe::stream
