#include "store/remote/messages.hpp"

#include <cstring>

namespace staithe::store::remote {
namespace {

template <class T>
void append(std::vector<std::byte>& to, const T& object) {
    const auto bytes = std::as_bytes(std::span(&object, 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

/// False if the bytes end before.
template <class T>
bool take(std::span<const std::byte>& bytes, T& object) {
    if (bytes.size() < sizeof(T)) {
        return false;
    }
    std::memcpy(&object, bytes.data(), sizeof(T));
    bytes = bytes.subspan(sizeof(T));
    return true;
}

constexpr std::size_t most_bytes_of_a_piece = sizeof(WantedHeader) + max_dimensions * sizeof(Loop);

}  // namespace

Requests encode_requests(std::span<const Wanted> pieces, std::uint64_t id) {
    Requests requests;
    std::vector<std::byte>& bytes = requests.bytes;
    for (; !pieces.empty(); ++id) {
        RequestHeader header{.id = id};
        const std::size_t start = bytes.size();
        append(bytes, header);
        const std::size_t body = bytes.size();
        for (; !pieces.empty() && bytes.size() - body + most_bytes_of_a_piece <= most_request_bytes; ++header.pieces) {
            const auto& [ref, runs] = pieces.front();
            append(bytes, WantedHeader{ref, runs.first, runs.run, static_cast<std::uint32_t>(runs.loops.size()), 0});
            for (const Loop& loop : runs.loops) {
                append(bytes, loop);
            }
            requests.asked.push_back({id, header.pieces});
            pieces = pieces.subspan(1);
        }
        header.bytes = static_cast<std::uint32_t>(bytes.size() - body);
        std::memcpy(bytes.data() + start, &header, sizeof(header));
    }
    return requests;
}

base::Result<RequestHeader> decode_request_header(std::span<const std::byte, sizeof(RequestHeader)> bytes) {
    RequestHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.magic != RequestHeader::known_magic || header.version != version || header.reserved != 0 ||
        header.pieces == 0 || header.bytes > most_request_bytes) {
        return base::fail(ErrorCode::protocol, "a peer asks for blocks in a way that cannot be understood");
    }
    return header;
}

base::Result<std::vector<Wanted>> decode_wanted(const RequestHeader& header, std::span<const std::byte> body) {
    const auto refuse = [] {
        return base::fail(ErrorCode::protocol, "a peer asks for blocks with other numbers than it says");
    };
    if (header.pieces > body.size() / sizeof(WantedHeader)) {
        return refuse();
    }
    std::vector<Wanted> pieces(header.pieces);
    for (Wanted& piece : pieces) {
        WantedHeader wanted;
        if (!take(body, wanted) || wanted.loops > max_dimensions || wanted.reserved != 0) {
            return refuse();
        }
        piece.ref = wanted.ref;
        piece.runs.first = wanted.first;
        piece.runs.run = wanted.run;
        piece.runs.loops.resize(wanted.loops);
        for (Loop& loop : piece.runs.loops) {
            if (!take(body, loop)) {
                return refuse();
            }
        }
    }
    return body.empty() ? base::Result<std::vector<Wanted>>(std::move(pieces)) : refuse();
}

}  // namespace staithe::store::remote
