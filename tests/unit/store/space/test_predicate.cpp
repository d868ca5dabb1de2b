#include "store/space/predicate.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "unit/store/space/drawn_arrays.hpp"

namespace staithe::store::space {
namespace {

const Attributes attributes{{"run", "a12"}, {"n", 2}, {"dt", 0.5}, {"done", true}, {"list", List{1}}};

Predicate made(const std::string& text, const std::map<std::string, Dtype>& variables) {
    return Predicate::make(Condition::parse(text).value(), variables, attributes).value();
}

std::vector<std::uint8_t> selected(const std::string& text, const ArrayView& array) {
    const Predicate predicate = made(text, {{"x", array.dtype}});
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(*volume(array.shape)), 7);
    const std::int64_t hits = select(predicate, std::span(&array, predicate.variables().size()), array.shape, mask);
    EXPECT_EQ(hits, std::accumulate(mask.begin(), mask.end(), std::int64_t{0})) << text;
    return mask;
}

using Mask = std::vector<std::uint8_t>;

TEST(Predicate, ComparesIntegersExactly) {
    const std::vector<std::uint64_t> large{9223372036854775807U, 9223372036854775808U, UINT64_MAX};
    EXPECT_EQ(selected("x > 9223372036854775807", view_of(large)), (Mask{0, 1, 1}));
    EXPECT_EQ(selected("x == 18446744073709551615", view_of(large)), (Mask{0, 0, 1}));
    EXPECT_EQ(selected("x >= 9223372036854775807.5", view_of(large)), (Mask{0, 1, 1}));
    EXPECT_EQ(selected("x < 1e30", view_of(large)), (Mask{1, 1, 1}));
    EXPECT_EQ(selected("x > -0.5", view_of(large)), (Mask{1, 1, 1}));
    const std::vector<std::int64_t> small{-1, 0, 1};
    EXPECT_EQ(selected("x < 0.5", view_of(small)), (Mask{1, 1, 0}));
    EXPECT_EQ(selected("x <= -0.5", view_of(small)), (Mask{1, 0, 0}));
    EXPECT_EQ(selected("x != 0.5", view_of(small)), (Mask{1, 1, 1}));
    EXPECT_EQ(selected("x == nan or x > inf or isnan(x)", view_of(small)), (Mask{0, 0, 0}));
    EXPECT_EQ(selected("x > -1e30 and x != nan", view_of(small)), (Mask{1, 1, 1}));
}

TEST(Predicate, ComparesRealsAsNumPyDoes) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> reals{0.1F, nan, -0.0F, std::numeric_limits<float>::infinity()};
    EXPECT_EQ(selected("x == 0.1", view_of(reals)), (Mask{1, 0, 0, 0})) << "0.1 is rounded to the variable's dtype";
    EXPECT_EQ(selected("x != 0.1", view_of(reals)), (Mask{0, 1, 1, 1}));
    EXPECT_EQ(selected("not x < 1", view_of(reals)), (Mask{0, 1, 0, 1}));
    EXPECT_EQ(selected("x == 0 or isnan(x)", view_of(reals)), (Mask{0, 1, 1, 0}));
    EXPECT_EQ(selected("x != nan", view_of(reals)), (Mask{1, 1, 1, 1}));
    const std::vector<float> truths{1, 2};
    EXPECT_EQ(selected("x == true", view_of(truths)), (Mask{1, 0}));
}

TEST(Predicate, RoundsToHalfPrecision) {
    // 2049 lies between two numbers of f16, and goes to the even one; so do halves of the least.
    const std::vector<std::uint16_t> bits{0x6800, 0x7bff, 0x7c00, 0x0001, 0x0000};  // 2048, 65504, inf, 2^-24, 0
    const ArrayView halves = ArrayView::row_major(bits.data(), Dtype::f16, {5});
    EXPECT_EQ(selected("x == 2049", halves), (Mask{1, 0, 0, 0, 0}));
    EXPECT_EQ(selected("x == 65519", halves), (Mask{0, 1, 0, 0, 0}));
    EXPECT_EQ(selected("x == 65520", halves), (Mask{0, 0, 1, 0, 0}));
    EXPECT_EQ(selected("x == 5e-8", halves), (Mask{0, 0, 0, 1, 0}));
    EXPECT_EQ(selected("x == 2e-8", halves), (Mask{0, 0, 0, 0, 1}));
}

TEST(Predicate, OfAttributesIsDecidedAtOnce) {
    const std::map<std::string, Dtype> variables{{"x", Dtype::f64}, {"y", Dtype::i32}};
    const auto decided = [&](const std::string& text) { return made(text, variables).decided(); };
    EXPECT_EQ(decided("run == 'a12' and 1 < n <= 2 and done == true and dt == 0.5"), true);
    EXPECT_EQ(decided("run >= 'b' or n == 2.5 or isnan(dt)"), false);
    EXPECT_EQ(decided("x > 3 and run != 'a12'"), false);
    EXPECT_EQ(decided("not (x > 3 and run != 'a12') and done != 0"), true);
    EXPECT_EQ(decided("y < 1e10"), true);
    EXPECT_EQ(decided("x > 3 and run == 'a12'"), std::nullopt);
    const Predicate predicate =
        made("(y > 1 and n > 7) or (n == 2 and not x > 3) or (x < 1 and y < 2 and n == 3)", variables);
    EXPECT_EQ(predicate.variables(), std::vector<std::string>{"x"}) << "nobody need look at others";
    EXPECT_EQ(predicate.steps().size(), 2U);
}

TEST(Predicate, VariablesComeBeforeAttributes) {
    EXPECT_EQ(made("run > 3", {{"run", Dtype::f64}}).variables(), std::vector<std::string>{"run"});
}

TEST(Predicate, ErrorsSayWhatThereIs) {
    const std::map<std::string, Dtype> variables{{"T", Dtype::f64}, {"z", Dtype::c128}};
    const std::vector<std::pair<std::string, std::string>> cases{
        {"t > 3",
         "the condition names 't', and there is no such variable or attribute; there are: 'T', 'z', 'dt', 'n', "
         "'list', 'run', 'done'"},
        {"T == 'hot'", "the condition compares the variable 'T' of f8 with the text 'hot': compare it with a number"},
        {"z > 3",
         "the condition has 'z >', but 'z' is of c16: complex numbers have no order, compare them by == or !="},
        {"n == 'two'", "the condition compares the attribute 'n', which is a number, with the text 'two'"},
        {"run > 3",
         "the condition compares the attribute 'run' with a number, but it is the text 'a12': texts to compare "
         "it with stand in quotes"},
        {"isnan(run)",
         "the condition compares the attribute 'run' with a number, but it is the text 'a12': texts to "
         "compare it with stand in quotes"},
        {"list == 1", "the condition compares the attribute 'list', which is neither a text nor a number"},
        {"list == 'a'", "the condition compares the attribute 'list', which is neither a text nor a number"},
    };
    for (const auto& [text, message] : cases) {
        const auto predicate = Predicate::make(Condition::parse(text).value(), variables, attributes);
        ASSERT_FALSE(predicate) << text;
        EXPECT_EQ(predicate.error().message, message);
        EXPECT_EQ(predicate.error().code, text == "t > 3" ? ErrorCode::not_found : ErrorCode::invalid_argument);
    }
}

TEST(Predicate, BlocksThatCannotMatchAreToldByStatistics) {
    const std::vector<double> block{1, 2, 3, 4};
    const std::vector<double> gaps{1, 2, std::numeric_limits<double>::quiet_NaN(), 4};
    const std::vector<double> same(5, 2.0);
    const auto judged = [](const std::string& text, const std::vector<double>& numbers) {
        const Statistics statistics = summarize(view_of(numbers));
        const Predicate predicate = made(text, {{"x", Dtype::f64}});
        return predicate.judge(std::span(&statistics, predicate.variables().size()));
    };
    EXPECT_EQ(judged("x > 4", block), Matches::none);
    EXPECT_EQ(judged("x >= 4", block), Matches::some);
    EXPECT_EQ(judged("x > 0.5", block), Matches::all);
    EXPECT_EQ(judged("x > 0.5", gaps), Matches::some);
    EXPECT_EQ(judged("not x > 4", gaps), Matches::all);
    EXPECT_EQ(judged("isnan(x)", block), Matches::none);
    EXPECT_EQ(judged("isnan(x)", gaps), Matches::some);
    EXPECT_EQ(judged("0.1 < x <= 0.5 or x == 7", block), Matches::none);
    EXPECT_EQ(judged("x == 2 and n == 2", same), Matches::all);
    EXPECT_EQ(judged("x != 2", same), Matches::none);
    EXPECT_EQ(judged("n == 2", same), Matches::all);
    EXPECT_EQ(judged("n == 3", same), Matches::none);
}

TEST(Predicate, StatisticsKnowNothingOfImaginaryParts) {
    const std::vector<std::complex<double>> numbers{{2, 0}, {2, 1}};
    const Statistics statistics = summarize(view_of(numbers));
    const auto judged = [&](const std::string& text) {
        return made(text, {{"z", Dtype::c128}}).judge(std::span(&statistics, 1));
    };
    EXPECT_EQ(judged("z == 2"), Matches::some);
    EXPECT_EQ(judged("z != 2"), Matches::some);
    EXPECT_EQ(judged("z == 3"), Matches::none);
    EXPECT_EQ(judged("z != 3"), Matches::all);
}

/// Conditions on the variables a, b and c and on attributes, drawn at random.
std::string drawn_condition(std::mt19937& random, bool has_order, int depth) {
    const auto one_of = [&](const std::vector<const char*>& words) {
        return std::string(words[random() % words.size()]);
    };
    const auto part = [&] { return drawn_condition(random, has_order, depth - 1); };
    switch (depth == 0 ? random() % 2 : random() % 6) {
        case 0:
            return random() % 6 == 0 ? "isnan(" + one_of({"a", "b", "c"}) + ")"
                                     : one_of({"n == 2", "dt > 1", "a != 1"});
        case 1:
        case 2:
            return one_of({"a", "b", "c"}) +
                   (has_order ? one_of({" < ", " <= ", " > ", " >= ", " == ", " != "}) : one_of({" == ", " != "})) +
                   one_of({"0", "1", "2", "0.1", "0.5", "-1", "1e30", "nan", "inf", "-inf", "127",
                           "9223372036854775807", "18446744073709551615", "-9223372036854775808", "65504", "1.5"});
        case 3: return "not (" + part() + ")";
        case 4: return "(" + part() + " and " + part() + ")";
        default: return "(" + part() + " or " + part() + ")";
    }
}

/// As NumPy compares, one element by itself.
bool holds_for(const Condition::Term& term, const DrawnArray::Element& element, Dtype dtype) {
    if (term.relation == Relation::is_nan) {
        return element.is_nan();
    }
    Number constant = std::get<Number>(term.constant);
    if (dtype == Dtype::f16) {
        constexpr Number infinity = std::numeric_limits<Number>::infinity();
        constant = constant == Number{0.1} ? Number{0.0999755859375}
                   : constant > 65504      ? infinity
                   : constant < -65504     ? -infinity
                                           : constant;
    } else if (dtype == Dtype::f32 || dtype == Dtype::c64) {
        constant = static_cast<float>(constant);
    } else if (dtype == Dtype::f64 || dtype == Dtype::c128) {
        constant = static_cast<double>(constant);
    }
    if (term.relation == Relation::equal || term.relation == Relation::not_equal) {
        const bool equal = element.real == constant && element.imaginary == 0;
        return equal == (term.relation == Relation::equal);
    }
    return holds(term.relation, element.real, constant);
}

TEST(Predicate, SelectsAndJudgesAsEachElementByItself) {
    std::mt19937 random(11);
    int certain = 0;
    for (int i = 0; i < 1500; ++i) {
        const Extents shape = drawn_shape(random);
        const bool has_order = random() % 4 != 0;
        std::map<std::string, Dtype> dtypes;
        std::map<std::string, DrawnArray> arrays;
        for (const char* name : {"a", "b", "c"}) {
            const auto dtype =
                static_cast<Dtype>(random() % (has_order ? static_cast<unsigned>(Dtype::c64) : dtype_count));
            dtypes[name] = dtype;
            arrays.emplace(name, DrawnArray(random, dtype, shape));
        }
        const std::string text = drawn_condition(random, has_order, 4);
        const auto condition = Condition::parse(text);
        ASSERT_TRUE(condition) << condition.error().message;

        const auto count = static_cast<std::size_t>(*volume(shape));
        Mask expected;
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<bool> stack;
            for (const Step& step : condition->steps()) {
                if (step.kind == Step::Kind::term) {
                    const Condition::Term& term = condition->terms()[step.term];
                    const std::string& name = condition->names()[term.name];
                    const auto array = arrays.find(name);
                    stack.push_back(array != arrays.end()
                                        ? holds_for(term, array->second.elements()[k], dtypes[name])
                                        : holds_for(term, {static_cast<Number>(name == "n" ? 2 : 0.5)}, Dtype::f128));
                } else if (step.kind == Step::Kind::negate) {
                    stack.back() = !stack.back();
                } else {
                    const bool last = stack.back();
                    stack.pop_back();
                    stack.back() = step.kind == Step::Kind::both ? stack.back() && last : stack.back() || last;
                }
            }
            expected.push_back(stack.front() ? 1 : 0);
        }

        const Predicate predicate = Predicate::make(*condition, dtypes, attributes).value();
        std::vector<ArrayView> block;
        std::vector<Statistics> statistics;
        for (const std::string& name : predicate.variables()) {
            block.push_back(arrays.at(name).view());
            statistics.push_back(summarize(block.back()));
        }
        Mask mask(count, 7);
        const std::int64_t hits = select(predicate, block, shape, mask);
        ASSERT_EQ(mask, expected) << text << ' ' << to_string(shape);
        ASSERT_EQ(hits, std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
        const Matches judged = predicate.judge(statistics);
        ASSERT_TRUE(judged != Matches::none || hits == 0) << text;
        ASSERT_TRUE(judged != Matches::all || hits == static_cast<std::int64_t>(count)) << text;
        certain += judged != Matches::some ? 1 : 0;
    }
    EXPECT_GT(certain, 300) << "it says something";
}

TEST(Predicate, OfTenThousandTerms) {
    std::string text = "x == 0";
    for (int i = 1; i < 10000; ++i) {
        text += fmt::format(" or x == {}", 2 * i);
    }
    const std::vector<std::int32_t> numbers{-2, 0, 1, 9999, 10000, 19998, 20000};
    EXPECT_EQ(selected(text, view_of(numbers)), (Mask{0, 1, 0, 0, 1, 1, 0}));
}

}  // namespace
}  // namespace staithe::store::space
