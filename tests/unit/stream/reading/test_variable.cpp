// What C++ programs have in memory goes into steps as it is, and comes back into it.
#include <array>
#include <complex>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/mdspan.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class ArraysTest : public StreamTest {
  protected:
    ArraysTest() { std::iota(twelve.begin(), twelve.end(), 0.0); }

    /// The variable as a reader has it.
    Variable passed_on(const std::string& name) {
        step.end();
        return in.next().value().variable(name);
    }

    std::vector<double> twelve = std::vector<double>(12);
    Writer out{"s"};
    Reader in{"s"};
    WriteStep step = out.begin_step();
};

TEST_F(ArraysTest, NumbersAreVariablesWithoutDimensions) {
    step.put("n", 3.0);
    step.put("steps", 7, {.unit = "1"});
    step.put("z", std::complex<float>(1, 2));
    step.put("done", true);
    step.end();
    const ReadStep read = in.next().value();
    EXPECT_EQ(read.variable("n").shape(), Extents{});
    double n = 0.0;
    read.variable("n").read(n);
    EXPECT_EQ(n, 3.0);
    EXPECT_EQ(read.variable("steps").dtype(), Dtype::i32);
    EXPECT_EQ(read.variable("steps").unit(), "1");
    EXPECT_EQ(read.variable("z").read<std::complex<float>>().at(0), std::complex<float>(1, 2));
    bool done = false;
    read.variable("done").read(done);
    EXPECT_TRUE(done);
}

TEST_F(ArraysTest, ContainersAreArrays) {
    step.put("vector", twelve);
    step.put("span", std::span(twelve).first(5));
    step.put("array", std::array<float, 3>{1, 2, 3});
    step.put("points", std::vector<std::array<double, 3>>{{1, 2, 3}, {4, 5, 6}});
    const double matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
    step.put("matrix", matrix);
    step.put("empty", std::vector<int>());
    step.end();
    const ReadStep read = in.next().value();
    EXPECT_EQ(read.variable("vector").read<double>(), twelve);
    EXPECT_EQ(read.variable("span").shape(), Extents{5});
    EXPECT_EQ(read.variable("array").read<float>(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(read.variable("points").shape(), (Extents{2, 3}));
    EXPECT_EQ(read.variable("matrix").shape(), (Extents{2, 3}));
    EXPECT_EQ(read.variable("points").read<double>(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read.variable("matrix").read<double>(), read.variable("points").read<double>());
    EXPECT_EQ(read.variable("empty").read<int>(), std::vector<int>());
}

TEST_F(ArraysTest, TemporariesAreCopiedBeforeTheyAreGone) {
    step.put("x", std::vector<double>(1000, 2.5));
    step.put("y", std::vector<double>(1000, 3.5), {10, 100});
    step.end();
    const ReadStep read = in.next().value();
    EXPECT_EQ(read.variable("x").read<double>(), std::vector<double>(1000, 2.5));
    EXPECT_EQ(read.variable("y").read<double>(), std::vector<double>(1000, 3.5));
}

TEST_F(ArraysTest, TheShapeMayBeGiven) {
    const int rows = 3;
    const std::size_t columns = 4;
    step.put("u", twelve, {rows, columns});
    step.put("v", std::span(twelve), {rows, columns}, {.unit = "m"});
    step.put("w", twelve.data(), {2, 3});
    step.put("part", twelve, {rows, columns}, {.offset = {{3, 0}}, .shape = {{6, 4}}});
    EXPECT_THROW(step.put("x", twelve, {rows, 5}), InvalidArgument);
    step.end();
    const ReadStep read = in.next().value();
    EXPECT_EQ(read.variable("u").shape(), (Extents{3, 4}));
    EXPECT_EQ(read.variable("u").read<double>(), twelve);
    EXPECT_EQ(read.variable("v").unit(), "m");
    EXPECT_EQ(read.variable("w").read<double>(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(read.variable("part").read<double>(Selection(Box{{3, 0}, {3, 4}})), twelve);
    EXPECT_FALSE(read.has("x"));
}

TEST_F(ArraysTest, MultidimensionalViewsKeepTheirOrder) {
    step.put("rows", Mdspan<const double, 2>(twelve.data(), {3, 4}, {4, 1}));
    step.put("columns", Mdspan<double, 2>(twelve.data(), {3, 4}, {1, 3}));
    step.end();
    const ReadStep read = in.next().value();
    EXPECT_EQ(read.variable("rows").read<double>(), twelve);
    const Variable columns = read.variable("columns");
    EXPECT_EQ(columns.shape(), (Extents{3, 4}));
    EXPECT_TRUE(is_column_major(columns.view(Selection::all({3, 4})).value().array));
    EXPECT_EQ(columns.read<double>(), (std::vector<double>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
    std::vector<double> back(12);
    columns.read(Mdspan<double, 2>(back.data(), {3, 4}, {1, 3}));
    EXPECT_EQ(back, twelve);
}

TEST_F(ArraysTest, ReadsIntoWhatIsThere) {
    step.put("u", twelve, {3, 4});
    const Variable u = passed_on("u");
    std::vector<double> grown;
    u.read(grown);
    EXPECT_EQ(grown, twelve);
    u.read(Selection(Box{{1, 1}, {1, 2}}), grown);
    EXPECT_EQ(grown, (std::vector<double>{5, 6}));
    std::array<double, 12> numbers{};
    u.read(std::span(numbers));
    EXPECT_EQ(numbers[7], 7.0);
    double matrix[3][4] = {};
    u.read(matrix);
    EXPECT_EQ(matrix[1][3], 7.0);
    std::vector<std::array<double, 4>> rows;
    u.read(rows);
    EXPECT_EQ(rows.at(2)[1], 9.0);
    double transposed[4][3] = {};
    EXPECT_THROW(u.read(transposed), InvalidArgument);
    EXPECT_THROW(u.read(std::span(numbers).first(11)), InvalidArgument);
}

TEST_F(ArraysTest, LoansAreSpansOfTheirDtypeAlone) {
    Loan loan = step.loan<double>("u", {3, 4});
    const std::span<double> values = loan.span<double>();
    ASSERT_EQ(values.size(), 12U);
    std::copy(twelve.begin(), twelve.end(), values.begin());
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(loan.span<float>()); }), ErrorCode::invalid_argument);
    step.publish(std::move(loan));
    EXPECT_EQ(passed_on("u").view(Selection::all({3, 4})).value().array.span<double>()[5], 5.0);
}

TEST_F(ArraysTest, ReadsAsADtypeThatHasAllValues) {
    step.put("u", std::vector<float>{0.5F, -1.25F, 3.0F}, {.offset = {{0}}, .shape = {{5}}});
    step.put("u", std::vector<float>{4.0F, 5.0F}, {.offset = {{3}}, .shape = {{5}}});
    const Variable u = passed_on("u");
    EXPECT_EQ(u.read<double>(), (std::vector<double>{0.5, -1.25, 3.0, 4.0, 5.0}));
    EXPECT_EQ(u.read<std::complex<double>>(Selection{{4, -2, 3}}), (std::vector<std::complex<double>>{5.0, 3.0, 0.5}));
    try {
        static_cast<void>(u.read<int>());
        ADD_FAILURE() << "fractions were lost";
    } catch (const InvalidArgument& error) {
        EXPECT_STREQ(error.what(),
                     "variable 'u' is f4: as i4 fractions, and numbers beyond its range would be lost. Read it as f4, "
                     "and convert that");
    }
}

}  // namespace
}  // namespace staithe
