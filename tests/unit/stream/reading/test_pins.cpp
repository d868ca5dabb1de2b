#include "stream/reading/pins.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

TEST(Pins, CountTheStepsThatAreHeldAndMayGoBeforeThem) {
    std::optional<Pins> pins(std::in_place);
    const auto step = std::make_shared<Step>();
    auto one = pins->pin(step);
    auto same = one;
    const auto other = pins->pin(step);
    EXPECT_EQ(one.get(), step.get());
    EXPECT_EQ(pins->count(), 2);
    one.reset();
    EXPECT_EQ(pins->count(), 2);
    same.reset();
    EXPECT_EQ(pins->count(), 1);
    pins.reset();
    EXPECT_EQ(step.use_count(), 2) << "it is held";
}

}  // namespace
}  // namespace staithe::stream
