#include "store/remote/messages.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "transform/bound.hpp"

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

void append(std::vector<std::byte>& to, std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

/// With commas between, as far as there is room.
std::string join(const std::vector<std::string>& names) {
    std::string joined;
    for (const std::string& name : names) {
        if (joined.size() + 1 + name.size() <= longest_variants) {
            joined += (joined.empty() ? "" : ",") + name;
        }
    }
    return joined;
}

std::vector<std::string> split(std::string_view joined) {
    std::vector<std::string> names;
    while (!joined.empty()) {
        const std::string_view name = joined.substr(0, joined.find(','));
        names.emplace_back(name);
        joined.remove_prefix(std::min(name.size() + 1, joined.size()));
    }
    return names;
}

void append(std::vector<std::byte>& to, const Offer& offer) {
    OfferHeader header{.dtype = static_cast<std::uint8_t>(offer.dtype)};
    header.bound = transform::code_of(offer.bound);
    header.has_fill = offer.fill ? 1 : 0;
    const std::string way = offer.reduced ? to_string(offer.reduced->recipe) : offer.codec.substr(0, longest_codec);
    header.way_bytes = static_cast<std::uint8_t>(way.size());
    const std::string variants = join(offer.variants);
    header.variants_bytes = static_cast<std::uint16_t>(variants.size());
    header.value = offer.bound.value;
    header.fill = offer.fill.value_or(0.0);
    header.decode = offer.decode;
    if (offer.reduced) {
        header.is_reduced = 1;
        header.reduced = offer.reduced->loops;
    }
    append(to, header);
    append(to, std::string_view(way));
    append(to, std::string_view(variants));
    append(to, std::string_view(offer.variable).substr(0, longest_text));
}

/// Nothing if it cannot be one.
std::optional<Offer> take_offer(std::span<const std::byte> bytes) {
    OfferHeader header;
    if (!take(bytes, header) || header.has_fill > 1 || header.is_reduced > 1 || header.way_bytes > longest_way ||
        header.variants_bytes > longest_variants || header.way_bytes + header.variants_bytes > bytes.size()) {
        return std::nullopt;
    }
    const auto dtype = dtype_from_code(header.dtype);
    const auto bound = transform::bound_from_code(header.bound, header.value);
    if (!dtype || !bound || !(header.decode >= 0.0)) {
        return std::nullopt;
    }
    const auto text = [](std::span<const std::byte> of) {
        return std::string(reinterpret_cast<const char*>(of.data()), of.size());
    };
    Offer offer{.variable = text(bytes.subspan(header.way_bytes + header.variants_bytes)), .dtype = *dtype};
    offer.variants = split(text(bytes.subspan(header.way_bytes, header.variants_bytes)));
    const std::string way = text(bytes.first(header.way_bytes));
    offer.bound = *bound;
    offer.fill = header.has_fill == 1 ? std::optional(header.fill) : std::nullopt;
    offer.decode = header.decode;
    if (header.is_reduced == 0) {
        offer.codec = way;
        return offer;
    }
    const auto recipe = reducing::parse_recipe(way);
    if (!recipe) {
        return std::nullopt;
    }
    offer.reduced = {*recipe, header.reduced};
    return offer;
}

}  // namespace

Requests encode_requests(std::span<const Wanted> pieces, std::uint64_t id, const Offer* offer) {
    Requests requests;
    std::vector<std::byte>& bytes = requests.bytes;
    for (; !pieces.empty(); ++id) {
        RequestHeader header{.id = id};
        const std::size_t start = bytes.size();
        append(bytes, header);
        const std::size_t body = bytes.size();
        if (offer != nullptr) {
            append(bytes, *offer);
            header.offer = static_cast<std::uint16_t>(bytes.size() - body);
        }
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

bool are_alike(const Offer& a, const Offer& b) {
    return a.variable == b.variable && a.dtype == b.dtype && a.bound == b.bound && a.codec == b.codec &&
           a.variants == b.variants;
}

base::Result<RequestHeader> decode_request_header(std::span<const std::byte, sizeof(RequestHeader)> bytes) {
    RequestHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.magic != RequestHeader::known_magic || header.version != version || header.pieces == 0 ||
        header.bytes > most_request_bytes || header.offer > std::min<std::size_t>(header.bytes, most_offer_bytes)) {
        return base::fail(ErrorCode::protocol, "a peer asks for blocks in a way that cannot be understood");
    }
    return header;
}

base::Result<Request> decode_request(const RequestHeader& header, std::span<const std::byte> body) {
    const auto refuse = [] {
        return base::fail(ErrorCode::protocol, "a peer asks for blocks with other numbers than it says");
    };
    Request request;
    if (header.offer > 0) {
        request.offer = take_offer(body.first(header.offer));
        if (!request.offer) {
            return refuse();
        }
        body = body.subspan(header.offer);
    }
    if (header.pieces > body.size() / sizeof(WantedHeader)) {
        return refuse();
    }
    request.pieces.resize(header.pieces);
    for (Wanted& piece : request.pieces) {
        WantedHeader wanted;
        const bool is_whole = take(body, wanted) && wanted.loops <= max_dimensions && wanted.reserved == 0;
        if (!is_whole || (request.offer && wanted.run != size_of(request.offer->dtype))) {
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
    return body.empty() ? base::Result<Request>(std::move(request)) : refuse();
}

}  // namespace staithe::store::remote
