// Floating-point arithmetic as it is by default, whatever the program around has set.
#pragma once

#include <cfenv>

namespace staithe::transform {

/// While one lives, this thread and those that it starts round to nearest, keep denormals, and trap nothing.
/// Simulations are built with -ffast-math, which drops denormals, or to stop at the first NaN; a codec that did so
/// would break its bound, or stop them at values that were there before.
class DefaultArithmetic {
  public:
    DefaultArithmetic() {
        std::fegetenv(&before_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultArithmetic() { std::fesetenv(&before_); }
    DefaultArithmetic(const DefaultArithmetic&) = delete;
    DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

  private:
    std::fenv_t before_{};
};

}  // namespace staithe::transform
