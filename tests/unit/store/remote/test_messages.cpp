#include "store/remote/messages.hpp"

#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::remote {
namespace {

Wanted piece(std::int64_t number) {
    Wanted wanted{{.store = 3, .offset = number, .bytes = 1000}, {number, 8, {}}};
    for (std::int64_t i = 0; i < number % 9; ++i) {
        wanted.runs.loops.push_back({i + 2, 8 * (i + 1)});
    }
    return wanted;
}

struct SentMessage {
    RequestHeader header;
    std::span<const std::byte> body;
};
SentMessage first_of(std::span<const std::byte> bytes) {
    const auto header = decode_request_header(bytes.first<sizeof(RequestHeader)>()).value();
    return {header, bytes.subspan(sizeof(RequestHeader), header.bytes)};
}
std::span<const std::byte, sizeof(RequestHeader)> bytes_of_header(const RequestHeader& header) {
    return std::as_bytes(std::span<const RequestHeader, 1>(&header, 1));
}

TEST(RemoteMessages, RequestsSayWhatIsWantedInAsManyAsItTakes) {
    std::vector<Wanted> wanted;
    for (int i = 0; i < 3000; ++i) {
        wanted.push_back(piece(i));
    }
    const Requests requests = encode_requests(wanted, 7);
    ASSERT_EQ(requests.asked.size(), wanted.size());
    std::span<const std::byte> bytes = requests.bytes;
    std::size_t next = 0;
    for (std::uint64_t id = 7; !bytes.empty(); ++id) {
        const auto [header, body] = first_of(bytes);
        EXPECT_EQ(header.id, id);
        std::uint32_t number = 0;
        const auto decoded = decode_request(header, body).value();
        EXPECT_FALSE(decoded.offer);
        for (const auto& [ref, runs, others] : decoded.pieces) {
            EXPECT_TRUE(others.empty());
            EXPECT_EQ(requests.asked[next], (Asked{id, number++}));
            const Wanted& expected = wanted.at(next++);
            EXPECT_EQ(ref, expected.ref);
            EXPECT_EQ(runs.first, expected.runs.first);
            ASSERT_EQ(runs.loops.size(), expected.runs.loops.size());
            for (std::size_t i = 0; i < runs.loops.size(); ++i) {
                EXPECT_EQ(runs.loops[i].stride, expected.runs.loops[i].stride);
            }
        }
        bytes = bytes.subspan(sizeof(header) + body.size());
    }
    EXPECT_EQ(next, wanted.size());
}

TEST(RemoteMessages, EachRequestHasTheOffer) {
    std::vector<Wanted> wanted;
    for (int i = 0; i < 1000; ++i) {
        wanted.push_back(piece(8));
        wanted.back().runs.run = 4;
    }
    const Offer offer{.variable = "T",
                      .dtype = Dtype::f32,
                      .bound = codecs::Bound::relative(1e-3),
                      .fill = 1e20,
                      .codec = "dq",
                      .variants = {"scale-offset", "a"},
                      .decode = 2.5e-10};
    Offer to_reduce = offer;
    to_reduce.codec = "";
    to_reduce.reduced = Reduced{{reducing::Kind::histogram, reducing::most_bins, -1.7976931348623e+307, 0.1}, 0x81};
    for (const Offer& each : {offer, to_reduce}) {
        const Requests requests = encode_requests(wanted, 1, &each);
        std::size_t pieces = 0;
        for (std::span<const std::byte> bytes = requests.bytes; !bytes.empty();) {
            const auto [header, body] = first_of(bytes);
            EXPECT_LE(body.size(), most_request_bytes);
            const auto decoded = decode_request(header, body).value();
            EXPECT_EQ(decoded.offer, each);
            pieces += decoded.pieces.size();
            bytes = bytes.subspan(sizeof(header) + body.size());
        }
        EXPECT_EQ(pieces, wanted.size());
    }
}

Wanted computed_piece(std::int64_t count) {
    Wanted wanted{{.store = 1, .offset = 8, .bytes = 100}, {0, 4, {}}};
    wanted.runs.loops.push_back({count, 4});
    Wanted other{{.store = 2, .offset = 16, .bytes = 200}, {8, 8, {}}};
    other.runs.loops.push_back({count, -8});
    wanted.others = {other, wanted};
    return wanted;
}

TEST(RemoteMessages, PiecesThatAreComputedHaveAllTheirOperands) {
    const std::vector<Wanted> wanted(400, computed_piece(5));
    const Offer offer{.variable = "x",
                      .dtype = Dtype::boolean,
                      .computed = Computed{"(x0 > (x1 + x2))", {Dtype::f32, Dtype::i64, Dtype::f32}},
                      .as_is = true};
    const Requests requests = encode_requests(wanted, 1, &offer);
    ASSERT_EQ(requests.asked.size(), wanted.size());
    std::size_t pieces = 0;
    for (std::span<const std::byte> bytes = requests.bytes; !bytes.empty();) {
        const auto [header, body] = first_of(bytes);
        EXPECT_LE(body.size(), most_request_bytes);
        const auto decoded = decode_request(header, body).value();
        EXPECT_EQ(decoded.offer, offer);
        for (const Wanted& each : decoded.pieces) {
            ASSERT_EQ(each.others.size(), 2U);
            EXPECT_EQ(each.others[0].ref.offset, 16);
            EXPECT_EQ(each.others[0].runs.loops[0].stride, -8);
        }
        pieces += decoded.pieces.size();
        bytes = bytes.subspan(sizeof(header) + body.size());
    }
    EXPECT_EQ(pieces, wanted.size());
}

TEST(RemoteMessages, OperandsOfOtherCountsAreRefused) {
    const Offer offer{
        .variable = "x", .dtype = Dtype::f32, .computed = Computed{"x0", {Dtype::f32, Dtype::i64, Dtype::f32}}};
    const auto is_taken = [&](const Wanted& piece) {
        const Requests requests = encode_requests(std::span(&piece, 1), 1, &offer);
        const auto [header, body] = first_of(requests.bytes);
        return decode_request(header, body).has_value();
    };
    EXPECT_TRUE(is_taken(computed_piece(5)));
    Wanted piece = computed_piece(5);
    piece.others[1].runs.loops[0].count = 6;
    EXPECT_FALSE(is_taken(piece));
    piece = computed_piece(5);
    piece.others[0].runs.loops.push_back({1, 8});
    EXPECT_FALSE(is_taken(piece));
    piece = computed_piece(5);
    piece.others[0].runs.run = 4;
    EXPECT_FALSE(is_taken(piece)) << "its elements have 8 bytes";
    piece = computed_piece(5);
    piece.others.pop_back();
    EXPECT_FALSE(is_taken(piece));
}

TEST(RemoteMessages, OfManyVariantsThoseForWhichThereIsRoomAreOffered) {
    Offer offer{.variable = "T", .dtype = Dtype::f32};
    for (int i = 0; i < 100; ++i) {
        offer.variants.push_back(std::to_string(1'000'000'000'000 + i));
    }
    Wanted wanted = piece(3);
    wanted.runs.run = 4;
    const Requests requests = encode_requests(std::span(&wanted, 1), 1, &offer);
    const auto [header, body] = first_of(requests.bytes);
    const auto decoded = decode_request(header, body).value().offer;
    offer.variants.resize(18);  // of 14 bytes with their commas
    EXPECT_EQ(decoded, offer);
}

TEST(RemoteMessages, OffersThatCannotBeAreRefused) {
    const auto with = [](auto change, std::int64_t run = 4) {
        std::vector<Wanted> wanted{piece(3)};
        wanted.front().runs.run = run;
        const Offer offer{.variable = "T", .dtype = Dtype::f32, .codec = "dq"};
        Requests requests = encode_requests(wanted, 1, &offer);
        OfferHeader header;
        std::byte* const at = requests.bytes.data() + sizeof(RequestHeader);
        std::memcpy(&header, at, sizeof(header));
        change(header);
        std::memcpy(at, &header, sizeof(header));
        const auto [request, body] = first_of(requests.bytes);
        return decode_request(request, body).has_value();
    };
    EXPECT_TRUE(with([](auto&) {}));
    EXPECT_FALSE(with([](auto&) {}, 8)) << "runs are elements";
    EXPECT_FALSE(with([](auto& header) { header.dtype = 200; }));
    EXPECT_FALSE(with([](auto& header) { header.bound = 4; }));
    EXPECT_FALSE(with([](auto& header) { header.has_fill = 2; }));
    EXPECT_FALSE(with([](auto& header) { header.way_bytes = 4; })) << "longer than the texts";
    EXPECT_TRUE(with([](auto& header) { header.variants_bytes = 1; }));
    EXPECT_FALSE(with([](auto& header) { header.variants_bytes = 2; })) << "likewise";
    EXPECT_FALSE(with([](auto& header) { header.variants_bytes = longest_variants + 1; }));
    EXPECT_FALSE(with([](auto& header) { header.taken = Taken::reduced; })) << "'dq' is no reduction";
    EXPECT_FALSE(with([](auto& header) { header.taken = static_cast<Taken>(3); }));
    EXPECT_FALSE(with([](auto& header) { header.operands = 1; })) << "of no formula";
    EXPECT_FALSE(with([](auto& header) { header.formula_bytes = 1; })) << "of no operands";
    EXPECT_FALSE(with([](auto& header) {
        header.way_bytes = 0;
        header.formula_bytes = 1;
        header.operands = 2;
    })) << "'d' and 'q' are no dtypes";
    EXPECT_FALSE(with([](auto& header) {
        header.formula_bytes = 1;
        header.operands = most_operands + 1;
    }));
    EXPECT_FALSE(with([](auto& header) { header.value = -1.0; }));
    EXPECT_FALSE(with([](auto& header) { header.value = std::numeric_limits<double>::quiet_NaN(); }));
    EXPECT_FALSE(with([](auto& header) { header.decode = std::numeric_limits<double>::quiet_NaN(); }));
}

TEST(RemoteMessages, HeadersOfSomethingElseAreRefused) {
    const auto with = [](auto change) {
        RequestHeader header{.id = 1, .pieces = 1, .bytes = 48};
        change(header);
        return decode_request_header(bytes_of_header(header)).has_value();
    };
    EXPECT_TRUE(with([](auto&) {}));
    EXPECT_FALSE(with([](auto& header) { header.magic = 0; }));
    EXPECT_FALSE(with([](auto& header) { header.version = 2; }));
    EXPECT_FALSE(with([](auto& header) { header.offer = 49; })) << "more than follows";
    EXPECT_FALSE(with([](auto& header) { header.pieces = 0; }));
    EXPECT_FALSE(with([](auto& header) { header.bytes = most_request_bytes + 1; }));
}

TEST(RemoteMessages, BodiesWithOtherNumbersAreRefused) {
    const std::vector<Wanted> wanted{piece(1), piece(5), piece(8)};
    const Requests requests = encode_requests(wanted, 1);
    const auto [header, body] = first_of(requests.bytes);
    ASSERT_TRUE(decode_request(header, body));
    for (std::size_t length = 0; length < body.size(); ++length) {
        EXPECT_FALSE(decode_request(header, body.first(length))) << length;
    }
    for (const std::uint32_t pieces : {0U, 2U, 4U, UINT32_MAX}) {
        RequestHeader wrong = header;
        wrong.pieces = pieces;
        EXPECT_FALSE(decode_request(wrong, body)) << pieces;
    }
    std::vector<std::byte> changed(body.begin(), body.end());
    changed[offsetof(WantedHeader, loops)] = std::byte{9};
    EXPECT_FALSE(decode_request(header, changed));
    changed[offsetof(WantedHeader, loops) + 3] = std::byte{255};
    EXPECT_FALSE(decode_request(header, changed));
}

}  // namespace
}  // namespace staithe::store::remote
