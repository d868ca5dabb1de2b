#include "transform/expression/plain.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::transform::expression {
namespace {

std::optional<std::string> plain(std::string_view text) { return plain_text(Expression::parse(text).value()); }

TEST(PlainText, NamesOperandsByTheirPlacesAndTakesPartsOfNone) {
    EXPECT_EQ(plain("speed = sqrt(u**2 + v**2)"), "sqrt(((x0 ** 2) + (x1 ** 2)))");
    EXPECT_EQ(plain("'a b' - T"), "(x0 - x1)");
    EXPECT_EQ(plain("u[1:] - u[:-1]"), "(x0 - x1)");
    EXPECT_EQ(plain("(u * v)[0] + u"), "((x0 * x1) + x2)") << "parts have operands of their own";
    EXPECT_EQ(plain("x1 + x0 + x1"), "((x0 + x1) + x0)");
    EXPECT_EQ(plain("T"), "x0");
}

TEST(PlainText, WritesNumbersAsTheyAre) {
    EXPECT_EQ(plain("T * 1"), "(x0 * 1)");
    EXPECT_EQ(plain("T * 1."), "(x0 * 1.0)");
    EXPECT_EQ(plain("T * 1e300 - .1"), "((x0 * 1e+300) - 0.1)");
    EXPECT_EQ(plain("T * 2j"), "(x0 * 2j)");
    EXPECT_EQ(plain("where(T > 0, True, ~False)"), "where((x0 > 0), True, (~False))");
    EXPECT_EQ(plain("-T ** -2"), "(-(x0 ** (-2)))");
    EXPECT_EQ(plain("T % 9223372036854775807"), "(x0 % 9223372036854775807)");
}

TEST(PlainText, MeansWhatOthersDefine) {
    const std::vector<Expression> definitions{Expression::parse("T = T - 273.15").value()};
    const auto expression = Expression::parse("T / 2").value().with(definitions).value();
    EXPECT_EQ(plain_text(expression), "((x0 - 273.15) / 2)");
}

TEST(PlainText, IsNoneWhereItWouldBeNestedTooDeepOrMerges) {
    std::string sum = "T";
    for (int i = 0; i < 90; ++i) {
        sum += " + T";
    }
    EXPECT_TRUE(plain(sum));
    for (int i = 0; i < 210; ++i) {
        sum += " + T";
    }
    EXPECT_FALSE(plain(sum));
    EXPECT_FALSE(plain("stack(u, v)"));
}

TEST(PlainText, ComputesTheSame) {
    const std::array<float, 4> u{1.5F, -2.0F, 0.25F, 1e20F};
    const std::array<double, 4> v{3.0, 0.5, -7.0, 1.0};
    const std::vector<Dtype> dtypes{Dtype::f32, Dtype::f64};
    for (const std::string text :
         {"u * v", "u ** 3 + v // 2 - u % 3", "where(u > v, u, -v) * 0.1", "minimum(u, 2) + arctan2(v, u)",
          "abs(u) ** .5 - (u < v) * 3", "int64(v) << 2 | int64(v) & 5", "(u - v - 1) - (u - (v - 1))",
          "u / v / 3 - u / (v / 3)", "2 ** -u ** 2", "real(u * 2j * v + 1) + u"}) {
        const auto expression = Expression::parse(text).value();
        const auto again = Expression::parse(plain_text(expression).value()).value();
        const std::array<ArrayView, 2> from{ArrayView::row_major(u.data(), Dtype::f32, {4}),
                                            ArrayView::row_major(v.data(), Dtype::f64, {4})};
        const std::size_t operands = expression.variables().size();
        std::array<std::array<std::byte, 64>, 2> made{};
        for (std::size_t i = 0; i < 2; ++i) {
            const auto program = (i == 0 ? expression : again).compile(std::span(dtypes).first(operands)).value();
            const auto to = MutableArrayView::row_major(made[i].data(), program.dtype(), {4});
            ASSERT_TRUE(program.evaluate(std::span(from).first(operands), to));
        }
        EXPECT_EQ(made[0], made[1]) << text;
    }
}

}  // namespace
}  // namespace staithe::transform::expression
