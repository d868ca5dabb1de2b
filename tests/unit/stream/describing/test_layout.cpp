#include "stream/describing/layout.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stream/describing/step_table.hpp"

namespace staithe::stream {
namespace {

BlockDescription block_of(const std::string& variable, std::int64_t offset, std::int64_t count, std::int64_t shape) {
    BlockDescription block;
    block.variable = variable;
    block.dtype = Dtype::f64;
    block.shape = {shape};
    block.box = {{offset}, {count}};
    return block;
}

base::Result<std::shared_ptr<const Layout>> build(const std::vector<Schema>& schemas) {
    std::vector<std::shared_ptr<const Schema>> shared;
    for (const Schema& schema : schemas) {
        shared.push_back(std::make_shared<const Schema>(schema));
    }
    return Layout::build(std::move(shared));
}

TEST(Layout, CollectsTheBlocksOfAllRanksByVariable) {
    const auto layout = build({{block_of("x", 0, 2, 8), block_of("y", 0, 1, 1), block_of("x", 6, 2, 8)},
                               {},
                               {block_of("z", 0, 3, 3), block_of("x", 2, 4, 8)}});
    ASSERT_TRUE(layout);
    ASSERT_EQ((*layout)->variables().size(), 3U);
    EXPECT_EQ((*layout)->variables()[0].description->variable, "x");
    EXPECT_EQ((*layout)->variables()[1].description->variable, "y");
    EXPECT_EQ((*layout)->variables()[2].description->variable, "z");
    const VariableLayout* x = (*layout)->find("x");
    ASSERT_NE(x, nullptr);
    ASSERT_EQ(x->blocks.size(), 3U);
    EXPECT_EQ(x->blocks[1].rank, 0);
    EXPECT_EQ(x->blocks[1].index, 2U);
    EXPECT_EQ(x->blocks[2].rank, 2);
    EXPECT_EQ(x->blocks[2].index, 4U) << "after three of rank 0 and one of its own";
    EXPECT_EQ((*layout)->blocks(), 5U);
    EXPECT_EQ((*layout)->ranks(), 3U);
    EXPECT_EQ(x->box(2), (Box{{2}, {4}}));
    EXPECT_EQ((*layout)->find("w"), nullptr);
}

TEST(Layout, OfNoBlocksHasNoVariables) {
    const auto layout = build({{}, {}});
    ASSERT_TRUE(layout);
    EXPECT_TRUE((*layout)->variables().empty());
}

TEST(Layout, RanksThatDisagreeAreNamed) {
    const BlockDescription first = block_of("x", 0, 2, 8);
    BlockDescription dtype = first;
    dtype.dtype = Dtype::f32;
    BlockDescription shape = first;
    shape.shape = {9};
    BlockDescription kind = first;
    kind.local = true;
    for (const BlockDescription& other : {dtype, shape, kind}) {
        const auto layout = build({{first}, {}, {other}});
        ASSERT_FALSE(layout);
        EXPECT_EQ(layout.error().code, ErrorCode::invalid_argument);
        for (const char* part : {"'x'", "rank 0", "rank 2"}) {
            EXPECT_NE(layout.error().message.find(part), std::string::npos) << layout.error().message;
        }
    }
}

TEST(Layout, RanksWhoseBlocksOverlapAreNamed) {
    const auto layout = build({{block_of("x", 0, 4, 9)}, {block_of("x", 6, 3, 9)}, {block_of("x", 3, 3, 9)}});
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(layout.error().message, "variable 'x': the blocks of rank 0, [0:4], and of rank 2, [3:6], overlap");
    EXPECT_TRUE(build({{block_of("x", 0, 4, 8)}, {block_of("x", 2, 0, 8)}, {block_of("x", 4, 4, 8)}}))
        << "an empty block overlaps nothing";
}

TEST(Layout, ScalarsOfTwoRanksOverlap) {
    BlockDescription scalar = block_of("x", 0, 1, 1);
    scalar.shape = {};
    scalar.box = {};
    EXPECT_TRUE(build({{scalar}, {}}));
    EXPECT_FALSE(build({{scalar}, {scalar}}));
}

TEST(Layout, LocalArraysMayDifferInShape) {
    BlockDescription one = block_of("x", 0, 2, 2);
    BlockDescription two = block_of("x", 0, 5, 5);
    one.local = two.local = true;  // and none of them overlaps another's
    EXPECT_TRUE(build({{one}, {two}}));
}

/// As a director writes it.
std::vector<std::byte> encoded(const std::vector<Schema>& schemas) {
    std::vector<std::vector<std::byte>> bytes;
    for (const Schema& schema : schemas) {
        bytes.push_back(encode_schema(schema).value());
    }
    const std::vector<std::span<const std::byte>> spans(bytes.begin(), bytes.end());
    return encode_layout(5, spans);
}

std::vector<Schema> example_schemas() {
    BlockDescription local = block_of("own", 0, 3, 3);
    local.local = true;
    BlockDescription larger = block_of("own", 0, 5, 5);
    larger.local = larger.column_major = true;
    larger.attributes = local.attributes = {{"kind", "own"}};
    BlockDescription scalar = block_of("time", 0, 1, 1);
    scalar.shape = {};
    scalar.box = {};
    return {
        {block_of("x", 0, 2, 8), local, scalar}, {}, {block_of("x", 2, 4, 8), larger}, {block_of("x", 6, 2, 8), local}};
}

TEST(Layout, OfADirectorIsThatOfTheSchemas) {
    const std::vector<Schema> schemas = example_schemas();
    const auto built = build(schemas).value();
    const auto decoded = Layout::decode(encoded(schemas), 5).value();
    EXPECT_EQ(decoded->blocks(), built->blocks());
    EXPECT_EQ(decoded->ranks(), 4U);
    ASSERT_EQ(decoded->variables().size(), built->variables().size());
    for (std::size_t i = 0; i < built->variables().size(); ++i) {
        const VariableLayout& one = built->variables()[i];
        const VariableLayout& two = decoded->variables()[i];
        EXPECT_EQ(*one.description, *two.description);
        ASSERT_EQ(one.blocks.size(), two.blocks.size());
        for (std::size_t block = 0; block < one.blocks.size(); ++block) {
            EXPECT_EQ(one.describe(block), two.describe(block));
            EXPECT_EQ(one.blocks[block].rank, two.blocks[block].rank);
            EXPECT_EQ(one.blocks[block].index, two.blocks[block].index);
        }
    }
    EXPECT_EQ(decoded->find("own")->describe(1).shape, Extents{5});
    EXPECT_TRUE(decoded->find("own")->describe(1).column_major);
    EXPECT_EQ(decoded->find("own")->description->shape, Extents{3});
}

TEST(Layout, OfADirectorIsRejectedWhenCutShortAtAnyByteOrTooLong) {
    auto bytes = encoded(example_schemas());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_EQ(Layout::decode(std::span(bytes).first(length), 5).error().code, ErrorCode::protocol) << length;
    }
    EXPECT_FALSE(Layout::decode(bytes, 4));
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(Layout::decode(bytes, 5));
}

TEST(Layout, OfADirectorNamesRanksThatDisagree) {
    BlockDescription other = block_of("x", 2, 2, 8);
    other.dtype = Dtype::f32;
    const auto layout = Layout::decode(encoded({{}, {block_of("x", 0, 2, 8)}, {other}}), 5);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().message, "writer ranks disagree on the dtype of 'x': rank 1 says f8, rank 2 says f4");
}

TEST(Layout, SaysWhatTheRanksOfThousandsShareOnce) {
    const std::size_t ranks = 1000;
    std::vector<Schema> schemas(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        BlockDescription block = block_of("density", 0, 1, 1);
        const auto number = static_cast<std::int64_t>(rank);
        block.shape = {static_cast<std::int64_t>(ranks), 8, 8};
        block.box = {{number, 0, 0}, {1, 8, 8}};
        block.attributes = {{"long", std::string(1000, 'x')}};
        schemas[rank] = {block};
    }
    EXPECT_LT(encoded(schemas).size(), ranks * 54);
}

}  // namespace
}  // namespace staithe::stream
