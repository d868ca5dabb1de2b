// Shapes and selections of parts; the elements themselves are compared with NumPy's in
// tests/python/test_derive_parts.py.
#include "transform/expression/parts.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "transform/expression/tokens.hpp"

namespace staithe::transform::expression {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

std::vector<Subscript> subscripts(const std::string& inside) {
    const auto parsed = parse_subscripts(inside, {.kind = Token::Kind::bracketed, .text = inside});
    EXPECT_TRUE(parsed) << inside;
    return parsed.value_or(std::vector<Subscript>());
}

Part selected(const std::string& inside, const Extents& shape) {
    const auto part = Part::selected(subscripts(inside), shape);
    EXPECT_TRUE(part) << inside;
    return part.value_or(Part());
}

TEST(Parts, SubscriptsAreReadAsPythonReadsThem) {
    using Kind = Subscript::Kind;
    EXPECT_EQ(subscripts(" -1 "), (std::vector<Subscript>{{.kind = Kind::index, .start = -1}}));
    EXPECT_EQ(subscripts("+2,"), (std::vector<Subscript>{{.kind = Kind::index, .start = 2}}));
    EXPECT_EQ(subscripts("..., None"),
              (std::vector<Subscript>{{.kind = Kind::ellipsis}, {.kind = Kind::new_dimension}}));
    EXPECT_EQ(subscripts(": :3"), (std::vector<Subscript>{{.kind = Kind::slice, .step = 3}}));
    EXPECT_EQ(subscripts("1:-2"), (std::vector<Subscript>{{.kind = Kind::slice, .start = 1, .stop = -2}}));
    for (const std::string text : {"", ",", "1 2", "--1", "+-1", "1:2:3:4", "::0", "::-1", "..", "0x1", "1:x", "1.0"}) {
        EXPECT_FALSE(parse_subscripts(text, {.kind = Token::Kind::bracketed, .text = text})) << text;
    }
}

TEST(Parts, SlicesAreClipped) {
    EXPECT_EQ(selected("2:100:3", {10}).selection, (Selection{{2, 3, 3}}));
    EXPECT_EQ(selected("-100:-8", {10}).selection, (Selection{{0, 1, 2}}));
    EXPECT_EQ(selected("5:5", {10}).shape, Extents{0});
    EXPECT_EQ(selected("::9223372036854775807", {largest}).selection, (Selection{{0, 1, 1}}));
    EXPECT_EQ(selected("-9223372036854775808:9223372036854775807:2", {largest}).shape, Extents{largest / 2 + 1});
    EXPECT_EQ(selected("...", {}).shape, Extents{});
}

TEST(Parts, DimensionsGoAndCome) {
    const Part part = selected("1, ..., None, ::2", {3, 4, 5});
    EXPECT_EQ(part.shape, (Extents{4, 1, 3}));
    EXPECT_EQ(part.dimensions, (PerDimension<std::size_t>{1, Part::new_dimension, 2}));
    EXPECT_EQ(part.selection, (Selection{{1, 1, 1}, {0, 1, 4}, {0, 2, 3}}));
    EXPECT_EQ(part.selected_by({{3, -1, 4}, {0, 1, 1}, {1, 1, 2}}), (Selection{{1, 1, 1}, {3, -1, 4}, {2, 2, 2}}));
    EXPECT_FALSE(Part::selected(subscripts("0, 0"), {3}));
    EXPECT_FALSE(Part::selected(subscripts("3"), {3}));
    EXPECT_FALSE(Part::selected(subscripts("-4"), {3}));
    EXPECT_FALSE(Part::selected(subscripts("None"), Extents::filled(max_dimensions, 1)));
    EXPECT_TRUE(Part::selected(subscripts("0, None"), Extents::filled(max_dimensions, 1)));
}

TEST(Parts, OfAWholeArePartsOfItsVariables) {
    const auto expression = Expression::parse("(u * row)[1:, 0] - (u * row)[1:, 0] + u[0, 0]");
    ASSERT_TRUE(expression);
    EXPECT_EQ(expression->variables(), (std::vector<std::string>{"u", "row", "u"}));
    const Extents shapes[] = {{3, 4}, {4}, {3, 4}};
    const auto parts = parts_of(*expression, shapes);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->shape, Extents{2});
    EXPECT_EQ(parts->of[0].selection, (Selection{{1, 1, 2}, {0, 1, 1}}));
    EXPECT_EQ(parts->of[1].selection, (Selection{{0, 1, 1}}));
    EXPECT_EQ(parts->of[1].shape, Extents{});
    EXPECT_EQ(parts->of[2].selection, (Selection{{0, 1, 1}, {0, 1, 1}}));
}

TEST(Parts, OfDefinitionsArePartsOfWhatTheySay) {
    const auto definition = Expression::parse("x = u[::2]");
    const auto expression = Expression::parse("x[1:] - x[:-1]")->with(std::span(&*definition, 1));
    ASSERT_TRUE(expression);
    const Extents shapes[] = {{9}, {9}};
    const auto parts = parts_of(*expression, shapes);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->of[0].selection, (Selection{{2, 2, 4}}));
    EXPECT_EQ(parts->of[1].selection, (Selection{{0, 2, 4}}));
}

TEST(Parts, MergedArraysHaveTheirPlaces) {
    const Extents shapes[] = {{2, 3}, {4, 3}};
    const auto joined = Merge{.axis = -2}.place(shapes);
    ASSERT_TRUE(joined);
    EXPECT_EQ(joined->shape, (Extents{6, 3}));
    EXPECT_EQ(joined->places, (std::vector<Box>{{{0, 0}, {2, 3}}, {{2, 0}, {4, 3}}}));
    EXPECT_FALSE((Merge{.axis = 1}.place(shapes)));
    EXPECT_FALSE((Merge{.stacks = true}.place(shapes)));
    const Extents row[] = {{2, 3}, {3}};
    const auto stacked = Merge{.stacks = true, .axis = -1}.place(row);
    ASSERT_TRUE(stacked);
    EXPECT_EQ(stacked->shape, (Extents{2, 3, 2}));
    EXPECT_EQ(stacked->new_axis, 2);
    EXPECT_EQ(stacked->places, (std::vector<Box>{{{0, 0, 0}, {2, 3, 1}}, {{0, 0, 1}, {2, 3, 1}}}));
    const Extents long_ones[] = {{largest}, {1}};
    EXPECT_FALSE(Merge{}.place(long_ones));
    const Extents scalars[] = {{}, {}};
    EXPECT_FALSE(Merge{}.place(scalars));
    const Extents deep[] = {Extents::filled(max_dimensions, 1)};
    EXPECT_FALSE((Merge{.stacks = true}.place(deep)));
}

}  // namespace
}  // namespace staithe::transform::expression
