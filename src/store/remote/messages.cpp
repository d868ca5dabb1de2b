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

std::size_t most_bytes_of(const Wanted& piece) {
    return (sizeof(WantedHeader) + max_dimensions * sizeof(Loop)) * (1 + piece.others.size());
}

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
        header.taken = Taken::reduced;
        header.reduced = offer.reduced->loops;
    } else if (offer.as_is) {
        header.taken = Taken::as_is;
    }
    if (offer.computed) {
        header.formula_bytes = static_cast<std::uint16_t>(offer.computed->formula.size());
        header.operands = static_cast<std::uint16_t>(offer.computed->operands.size());
    }
    append(to, header);
    append(to, std::string_view(way));
    append(to, std::string_view(variants));
    if (offer.computed) {
        for (const Dtype operand : offer.computed->operands) {
            append(to, static_cast<std::uint8_t>(operand));
        }
        append(to, std::string_view(offer.computed->formula));
    }
    append(to, std::string_view(offer.variable).substr(0, longest_text));
}

std::optional<std::string> take_text(std::span<const std::byte>& bytes, std::size_t length) {
    if (length > bytes.size()) {
        return std::nullopt;
    }
    std::string text(reinterpret_cast<const char*>(bytes.data()), length);
    bytes = bytes.subspan(length);
    return text;
}

std::optional<Computed> take_computed(std::span<const std::byte>& bytes, const OfferHeader& header) {
    Computed computed;
    for (int i = 0; i < header.operands; ++i) {
        std::uint8_t code = 0;
        const auto dtype = take(bytes, code) ? dtype_from_code(code) : std::nullopt;
        if (!dtype) {
            return std::nullopt;
        }
        computed.operands.push_back(*dtype);
    }
    auto formula = take_text(bytes, header.formula_bytes);
    if (!formula) {
        return std::nullopt;
    }
    computed.formula = *std::move(formula);
    return computed;
}

/// Nothing if it cannot be one.
std::optional<Offer> take_offer(std::span<const std::byte> bytes) {
    OfferHeader header;
    if (!take(bytes, header) || header.has_fill > 1 || header.taken > Taken::as_is || header.way_bytes > longest_way ||
        header.variants_bytes > longest_variants || header.formula_bytes > longest_formula ||
        header.operands > most_operands || (header.operands == 0) != (header.formula_bytes == 0)) {
        return std::nullopt;
    }
    const auto dtype = dtype_from_code(header.dtype);
    const auto bound = transform::bound_from_code(header.bound, header.value);
    const auto way = take_text(bytes, header.way_bytes);
    const auto variants = take_text(bytes, header.variants_bytes);
    if (!dtype || !bound || !(header.decode >= 0.0) || !way || !variants) {
        return std::nullopt;
    }
    Offer offer{.variable = {}, .dtype = *dtype};
    if (header.operands > 0) {
        offer.computed = take_computed(bytes, header);
        if (!offer.computed) {
            return std::nullopt;
        }
    }
    offer.variable = *take_text(bytes, bytes.size());
    offer.variants = split(*variants);
    offer.bound = *bound;
    offer.fill = header.has_fill == 1 ? std::optional(header.fill) : std::nullopt;
    offer.decode = header.decode;
    offer.as_is = header.taken == Taken::as_is;
    if (header.taken != Taken::reduced) {
        offer.codec = *way;
        return offer;
    }
    const auto recipe = reducing::parse_recipe(*way);
    if (!recipe) {
        return std::nullopt;
    }
    offer.reduced = {*recipe, header.reduced};
    return offer;
}

void append(std::vector<std::byte>& to, const Wanted& wanted) {
    const auto& [ref, runs, others] = wanted;
    append(to, WantedHeader{ref, runs.first, runs.run, static_cast<std::uint32_t>(runs.loops.size()), 0});
    for (const Loop& loop : runs.loops) {
        append(to, loop);
    }
    for (const Wanted& other : others) {
        append(to, other);
    }
}

/// False if there is none, or it is not of runs of that length, unless that does not matter.
bool take_wanted(std::span<const std::byte>& bytes, std::optional<std::int64_t> run, Wanted& wanted) {
    WantedHeader header;
    if (!take(bytes, header) || header.loops > max_dimensions || header.reserved != 0 || (run && header.run != *run)) {
        return false;
    }
    wanted.ref = header.ref;
    wanted.runs.first = header.first;
    wanted.runs.run = header.run;
    wanted.runs.loops.resize(header.loops);
    return std::ranges::all_of(wanted.runs.loops, [&](Loop& loop) { return take(bytes, loop); });
}

/// All operands of one piece of what is computed.
bool take_operands(std::span<const std::byte>& bytes, const Computed& computed, Wanted& first) {
    if (!take_wanted(bytes, size_of(computed.operands.front()), first)) {
        return false;
    }
    for (const Dtype dtype : std::span(computed.operands).subspan(1)) {
        Wanted& other = first.others.emplace_back();
        if (!take_wanted(bytes, size_of(dtype), other) ||
            !std::ranges::equal(other.runs.loops, first.runs.loops, {}, &Loop::count, &Loop::count)) {
            return false;
        }
    }
    return true;
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
        for (; !pieces.empty() && bytes.size() - body + most_bytes_of(pieces.front()) <= most_request_bytes;
             ++header.pieces) {
            append(bytes, pieces.front());
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
           a.variants == b.variants && a.computed == b.computed;
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
        const auto run = request.offer ? std::optional(size_of(request.offer->dtype)) : std::nullopt;
        const bool is_whole = request.offer && request.offer->computed
                                  ? take_operands(body, *request.offer->computed, piece)
                                  : take_wanted(body, run, piece);
        if (!is_whole) {
            return refuse();
        }
    }
    return body.empty() ? base::Result<Request>(std::move(request)) : refuse();
}

}  // namespace staithe::store::remote
