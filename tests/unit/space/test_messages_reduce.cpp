#include "space/served/messages_reduce.hpp"

#include <cstring>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace staithe::space {
namespace {

using store::reducing::Reduction;

/// The greatest of rows 1 to 3 of a block of 4 rows and 5 columns, along the rows.
Attributes request() {
    store::BlockDescription block;
    block.variable = "T";
    block.dtype = Dtype::i32;
    block.shape = {4, 5};
    block.box = Box::whole(block.shape);
    block.column_major = true;
    const Reduction reduction = Reduction::make("max", Dtype::i32, Box::whole({2, 5}), {{0}}).value();
    const store::BlockRef ref{.store = 3, .offset = 64, .bytes = 80};
    const store::Piece piece{0, &block, {Box::whole({2, 5}), Selection(Box{{1, 0}, {2, 5}})}};
    return encode(reduction, {&ref, 1}, {&piece, 1});
}

TEST(MessagesReduceTest, WhatIsAskedForArrives) {
    const auto wanted = decode_to_reduce(request()).value();
    EXPECT_EQ(wanted.refs, (std::vector<store::BlockRef>{{.store = 3, .offset = 64, .bytes = 80}}));
    ASSERT_EQ(wanted.pieces.size(), 1U);
    const store::Piece& piece = wanted.pieces.front();
    EXPECT_TRUE(piece.description->column_major);
    EXPECT_EQ(piece.description->shape, (Extents{4, 5}));
    EXPECT_EQ(piece.overlap.source, Selection(Box{{1, 0}, {2, 5}}));
    EXPECT_EQ(piece.overlap.destination, Box::whole({2, 5}));
    EXPECT_EQ(wanted.reduction.recipe().kind, store::reducing::Kind::max);
    EXPECT_EQ(wanted.reduction.shape(), (Extents{5}));
}

TEST(MessagesReduceTest, WhatNobodyWouldSendIsRefused) {
    const auto refused = [](const std::function<void(Attributes&)>& spoil) {
        Attributes body = request();
        spoil(body);
        return !decode_to_reduce(body);
    };
    const auto number = [](std::size_t place, std::int64_t value) {
        return [=](Attributes& body) {
            List pieces = *body.at("pieces").as_list();
            pieces[place] = value;
            body["pieces"] = pieces;
        };
    };
    EXPECT_FALSE(refused([](Attributes&) {}));
    for (const char* name : {"how", "dtype", "box", "axes", "pieces"}) {
        EXPECT_TRUE(refused([&](Attributes& body) { body.erase(name); })) << name;
        EXPECT_TRUE(refused([&](Attributes& body) { body[name] = -1; })) << name;
        EXPECT_TRUE(refused([&](Attributes& body) { body[name] = List{"a", "b"}; })) << name;
    }
    EXPECT_TRUE(refused([](Attributes& body) { body["how"] = "median"; }));
    EXPECT_TRUE(refused([](Attributes& body) { body["axes"] = List{2}; }));
    EXPECT_TRUE(refused([](Attributes& body) { body["box"] = List{std::int64_t{1} << 40, std::int64_t{1} << 40}; }));
    EXPECT_TRUE(refused([](Attributes& body) {
        body["box"] = List{2, 1 << 20};  // of which each column stays
    }));
    EXPECT_TRUE(refused([](Attributes& body) {
        List pieces = *body.at("pieces").as_list();
        pieces.pop_back();
        body["pieces"] = pieces;
    }));
    EXPECT_TRUE(refused(number(1, -1)));             // where it lies
    EXPECT_TRUE(refused(number(3, 1)));              // rows of the block
    EXPECT_TRUE(refused(number(3, INT64_MAX)));      // the same
    EXPECT_TRUE(refused(number(5, 3)));              // the first row
    EXPECT_TRUE(refused(number(5, INT64_MAX - 1)));  // the same
    EXPECT_TRUE(refused(number(7, 1)));              // where it goes
    EXPECT_TRUE(refused(number(9, 3)));              // how many rows go there
}

TEST(MessagesReduceTest, BytesAreAsTheyWere) {
    for (const std::size_t size : {0, 1, 7, 8, 9, 32}) {
        std::vector<std::byte> bytes(size);
        for (std::size_t i = 0; i < size; ++i) {
            bytes[i] = static_cast<std::byte>(200 + i);
        }
        EXPECT_EQ(decode_bytes(encode(bytes), size).value(), bytes);
        EXPECT_FALSE(decode_bytes(encode(bytes), size + 8));
    }
}

}  // namespace
}  // namespace staithe::space
