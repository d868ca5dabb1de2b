// What goes over a connection between a RemoteSource and a BlockServer: docs/formats/remote_blocks.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/transform.hpp>

#include "base/result.hpp"
#include "store/block_ref.hpp"
#include "store/reducing/recipe.hpp"
#include "store/remote/strided.hpp"

namespace staithe::store::remote {

constexpr std::uint16_t version = 5;

/// Asks for parts of blocks; an offer, if there is one, and `Wanted` for each of them follow.
struct RequestHeader {
    static constexpr std::uint32_t known_magic = 0x71427453;  // "StBq"
    std::uint32_t magic = known_magic;
    std::uint16_t version = remote::version;
    std::uint16_t offer = 0;  // bytes of it
    std::uint64_t id = 0;     // in its replies
    std::uint32_t pieces = 0;
    std::uint32_t bytes = 0;  // that follow
};
static_assert(sizeof(RequestHeader) == 24 && offsetof(RequestHeader, id) == 8 && offsetof(RequestHeader, bytes) == 20);

/// How a piece is taken.
enum class Taken : std::uint8_t {
    coded = 0,    // or as it is
    reduced = 1,  // and not otherwise
    as_is = 2,
};

/// Before the rest of an offer: what is made of the piece or, where it says which, the codec; the variants; the dtypes
/// of operands and the formula; and the variable.
struct OfferHeader {
    std::uint8_t dtype = 0;
    std::uint8_t bound = 0;  // 0 exact, 1 absolute, 2 relative, 3 pointwise relative
    std::uint8_t has_fill = 0;
    std::uint8_t way_bytes = 0;
    Taken taken = Taken::coded;  // any number, if it comes from another process
    std::uint8_t reduced = 0;    // loops, by bits
    std::uint16_t variants_bytes = 0;
    double value = 0.0;  // of the bound
    double fill = 0.0;
    double decode = 0.0;  // seconds for a byte of data, of late; 0: not known
    std::uint16_t formula_bytes = 0;
    std::uint16_t operands = 0;  // of the formula; 0: there is none
    std::uint32_t reserved = 0;
};
static_assert(sizeof(OfferHeader) == 40 && offsetof(OfferHeader, value) == 8 &&
              offsetof(OfferHeader, formula_bytes) == 32);

/// A part of a block, before its loops.
struct WantedHeader {
    BlockRef ref;
    std::int64_t first = 0;  // byte of the block
    std::int64_t run = 0;
    std::uint32_t loops = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(WantedHeader) == 48 && offsetof(WantedHeader, first) == 24 && offsetof(WantedHeader, loops) == 40);

enum class Status : std::uint16_t {
    given = 0,    // its bytes follow
    refused = 1,  // a text follows, which says why
    coded = 2,    // a payload of it follows, or what it was reduced to: only where that was offered
};

/// Before what is sent for a piece.
struct ReplyHeader {
    static constexpr std::uint32_t known_magic = 0x72427453;  // "StBr"
    std::uint32_t magic = known_magic;
    std::uint16_t version = remote::version;
    Status status = Status::given;  // any number, if it comes from another process
    std::uint64_t id = 0;           // of the request
    std::uint32_t piece = 0;        // of the request
    std::uint32_t reserved = 0;
    std::int64_t bytes = 0;  // that follow
};
static_assert(sizeof(ReplyHeader) == 32 && offsetof(ReplyHeader, id) == 8 && offsetof(ReplyHeader, piece) == 16 &&
              offsetof(ReplyHeader, bytes) == 24);

constexpr std::size_t most_request_bytes = 64 << 10;  // after the header
constexpr std::size_t longest_text = 4096;
constexpr std::size_t longest_codec = 64;
constexpr std::size_t longest_variants = 256;
/// Of a piece that is coded: larger ones come as they are, so that nobody else waits long meanwhile; or reduced.
constexpr std::int64_t most_coded_bytes = 16 << 20;
constexpr std::size_t longest_way = std::max(longest_codec, reducing::longest_recipe);
constexpr std::size_t longest_formula = 4096;
constexpr std::size_t most_operands = 16;
constexpr std::size_t most_offer_bytes =
    sizeof(OfferHeader) + longest_text + longest_way + longest_variants + longest_formula + most_operands;

/// What is made of a piece in place of its elements.
struct Reduced {
    reducing::Recipe recipe{};
    std::uint8_t loops = 0;  // along which, by bits
    bool operator==(const Reduced&) const = default;
};

/// What is computed of as many arrays, element by element.
struct Computed {
    std::string formula;  // transform/expression/plain.hpp
    std::vector<Dtype> operands;
    bool operator==(const Computed&) const = default;
};

/// That whoever asks takes payloads as well, of values within a bound: the runs of what it asks for are elements of
/// that dtype, and the loops are the dimensions of an array. Or that it takes what is computed of several arrays.
struct Offer {
    std::string variable;  // cut off where it is long
    Dtype dtype = Dtype::u8;
    codecs::Bound bound{};
    std::optional<double> fill{};
    std::string codec{};  // the only one that is wanted; empty: whatever is there soonest, or no code at all
    std::vector<std::string> variants{};  // codecs that were loaded there, besides those that everybody has
    double decode = 0.0;                  // seconds for a byte of data, of late; 0: not known
    std::optional<Reduced> reduced{};     // it takes nothing else
    std::optional<Computed> computed{};   // has that dtype
    bool as_is = false;                   // no payload of that, either
    bool operator==(const Offer&) const = default;
};

/// Whether what became of pieces for the one tells of the other.
[[nodiscard]] bool are_alike(const Offer& a, const Offer& b);

/// What is wanted of a block: bytes of what is stored of it.
struct Wanted {
    BlockRef ref;
    Runs runs;
    std::vector<Wanted> others{};  // operands of what is computed, after this one
};

/// What a reply answers.
struct Asked {
    std::uint64_t id = 0;
    std::uint32_t piece = 0;
    bool operator==(const Asked&) const = default;
};

/// Requests for the pieces, with ids from `id` on, and how the replies will name each of them.
struct Requests {
    std::vector<std::byte> bytes;
    std::vector<Asked> asked;
};
Requests encode_requests(std::span<const Wanted> pieces, std::uint64_t id, const Offer* offer = nullptr);

/// The header of a request that begins with these bytes: `protocol` unless its numbers can be of one.
base::Result<RequestHeader> decode_request_header(std::span<const std::byte, sizeof(RequestHeader)> bytes);

/// What follows it. The loops are as they were sent: ask `fit`. With an offer, the runs are as long as its elements; of
/// what is computed, as those of each operand, and all operands have the same counts: ask `lie_in`.
struct Request {
    std::optional<Offer> offer;
    std::vector<Wanted> pieces;
};
base::Result<Request> decode_request(const RequestHeader& header, std::span<const std::byte> body);

}  // namespace staithe::store::remote
