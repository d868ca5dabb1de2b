#include "stream/reading/fetched_memory.hpp"

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

constexpr std::int64_t large = 1 << 20;

TEST(FetchedMemory, UsesAgainWhatNobodyLooksAt) {
    const auto memory = std::make_shared<FetchedMemory>();
    auto first = memory->take(large);
    const auto* const place = first.get();
    const auto second = memory->take(large);
    EXPECT_NE(second.get(), place);
    first.reset();
    EXPECT_EQ(memory->take(large).get(), place);
}

TEST(FetchedMemory, OutlivesTheReader) {
    auto memory = std::make_shared<FetchedMemory>();
    const auto array = memory->take(large);
    const std::weak_ptr<FetchedMemory> alive = memory;
    memory.reset();
    array[large - 1] = std::byte{1};
    EXPECT_FALSE(alive.expired());
}

TEST(FetchedMemory, HoldsNoMoreThanWasInUseAtOnce) {
    const auto memory = std::make_shared<FetchedMemory>();
    memory->take(large);
    memory->take(2 * large);
    EXPECT_EQ(memory->held_bytes(), 2 * large) << "the smaller one went";
    const auto array = memory->take(large);
    EXPECT_EQ(memory->held_bytes(), large);
}

}  // namespace
}  // namespace staithe::stream
