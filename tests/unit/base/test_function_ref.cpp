#include "base/function_ref.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace staithe::base {
namespace {

int twice(int value) { return 2 * value; }

int call(FunctionRef<int(int)> function) { return function(21); }

TEST(FunctionRef, CallsWhatItWasMadeOf) {
    int calls = 0;
    EXPECT_EQ(call([&](int value) { return value + ++calls; }), 22);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(call(&twice), 42);
    const auto constant = [](int value) { return value; };
    EXPECT_EQ(call(constant), 21);
}

TEST(FunctionRef, PassesArgumentsOn) {
    const auto take = [](std::unique_ptr<std::string> text) { return *text; };
    const FunctionRef<std::string(std::unique_ptr<std::string>)> function(take);
    EXPECT_EQ(function(std::make_unique<std::string>("moved")), "moved");
}

}  // namespace
}  // namespace staithe::base
