#include "transform/default_arithmetic.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include <staithe/transform.hpp>

#include "transform/expression/expression.hpp"
#include "unit/transform/arrays.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace staithe::transform {
namespace {

/// As a program may have it that was built with -ffast-math and to trap what is no number.
class StrangeArithmetic {
  public:
    StrangeArithmetic() {
        std::fegetenv(&before_);
        std::fesetround(FE_UPWARD);
        feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
#ifdef __SSE2__
        _mm_setcsr(_mm_getcsr() | 0x8040U);  // denormals are zeros, as operands and as results
#endif
    }
    ~StrangeArithmetic() { std::fesetenv(&before_); }
    StrangeArithmetic(const StrangeArithmetic&) = delete;
    StrangeArithmetic& operator=(const StrangeArithmetic&) = delete;

  private:
    std::fenv_t before_{};
};

TEST(DefaultArithmetic, CodecsMakeTheSameWhateverTheProgramHasSet) {
    const auto array = testing::random_walk<float>({70, 80, 90}, 1, 0.02);
    for (const auto& info : codecs::list()) {
        for (const codecs::Mode mode : {codecs::Mode::fast, codecs::Mode::dense}) {
            if (!info.missing.empty() || !info.lossy) {
                continue;
            }
            codecs::EncodeOptions options;
            options.codec = info.name;
            options.mode = mode;
            options.bound = codecs::Bound::absolute(0.01);
            options.fill = 1e20;
            options.threads = 2;
            const auto payload = codecs::encode(array.view(), options);
            auto expected = like(array);
            codecs::decode(payload, expected.view());
            auto decoded = like(array);
            {
                const StrangeArithmetic strange;
                EXPECT_EQ(codecs::encode(array.view(), options), payload) << info.name;
                codecs::decode(payload, decoded.view(), std::nullopt, 2);
                EXPECT_EQ(std::fegetround(), FE_UPWARD);
                EXPECT_EQ(fegetexcept(), FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
            }
            EXPECT_EQ(0,
                      std::memcmp(decoded.values.data(), expected.values.data(), array.values.size() * sizeof(float)))
                << info.name;
        }
    }
}

TEST(DefaultArithmetic, ExpressionsMakeTheSameToo) {
    const double x[] = {0.0, -1.0, 1e308, 4.9e-324};
    const auto from = ArrayView::row_major(x, Dtype::f64, {4});
    const auto evaluate = [&] {
        std::vector<double> made(4);
        const auto expression = expression::Expression::parse("sqrt(x) + 0.1/0.0 * x**3 / x - 1e308*10 * x");
        const Dtype dtypes[] = {Dtype::f64};
        const auto program = expression->compile(dtypes);
        EXPECT_TRUE(program->evaluate({&from, 1}, MutableArrayView::row_major(made.data(), Dtype::f64, {4})));
        return made;
    };
    const std::vector<double> expected = evaluate();
    const StrangeArithmetic strange;
    const std::vector<double> made = evaluate();
    EXPECT_EQ(0, std::memcmp(made.data(), expected.data(), made.size() * sizeof(double)));
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

}  // namespace
}  // namespace staithe::transform
