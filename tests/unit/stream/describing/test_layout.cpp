#include "stream/describing/layout.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

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
    EXPECT_EQ(x->blocks[2].description->box, (Box{{2}, {4}}));
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

}  // namespace
}  // namespace staithe::stream
