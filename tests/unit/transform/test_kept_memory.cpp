#include "transform/kept_memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "transform/coding.hpp"

namespace staithe::transform {
namespace {

constexpr std::size_t line = 64, mega = std::size_t{1} << 20;

TEST(KeptMemory, GivesWhatWasGivenBackToWhoTakesAsMuch) {
    std::thread([] {  // which has kept nothing yet
        auto* const memory = kept_memory();
        void* const first = memory->allocate(mega, line);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % line, 0U);
        std::memset(first, 1, mega);
        memory->deallocate(first, mega, line);
        void* const of_others = ::operator new(mega, std::align_val_t{line});
        EXPECT_NE(of_others, first) << "it was kept";
        ::operator delete(of_others, mega, std::align_val_t{line});
        void* const other = memory->allocate(2 * mega, line);
        EXPECT_NE(other, first);
        void* const again = memory->allocate(mega - mega / 20, line);
        EXPECT_EQ(again, first) << "nearly as much";
        memory->deallocate(again, mega - mega / 20, line);
        memory->deallocate(other, 2 * mega, line);
    })
        .join();
}

TEST(KeptMemory, KeepsNoMoreThanAFewMegabytesOfAThread) {
    std::size_t kept = 0;
    std::thread([&kept] {
        const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
        std::array<void*, 64> pieces{};
        for (void*& piece : pieces) {
            piece = kept_memory()->allocate(mega, line);
        }
        for (void* const piece : pieces) {
            kept_memory()->deallocate(piece, mega, line);
        }
        kept = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    }).join();
    EXPECT_LE(kept, 9 * mega);  // nothing is told where another allocator is in use
}

TEST(KeptMemory, TakesBackWhatAnotherThreadTookAndWhatIsTooLargeToKeep) {
    auto* const memory = kept_memory();
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, mega, 5 * mega, 64 * mega}) {
        void* taken = nullptr;
        std::thread([&] { taken = memory->allocate(bytes, line); }).join();
        std::memset(taken, 2, bytes);
        std::thread([&] { memory->deallocate(taken, bytes, line); }).join();
    }
}

TEST(KeptPayloads, GiveTheirRoomToWhoNeedsAboutAsMuch) {
    std::vector<std::byte> payload(mega);
    const std::byte* const first = payload.data();
    give_back(std::move(payload));
    EXPECT_NE(bytes_with_room(mega + 1).data(), first) << "too small";
    EXPECT_NE(bytes_with_room(mega / 2).data(), first) << "half of it would be left over";
    std::vector<std::byte> again;
    std::thread([&again] { again = bytes_with_room(mega - mega / 4); }).join();
    EXPECT_EQ(again.data(), first);
    EXPECT_TRUE(again.empty());
    EXPECT_GE(again.capacity(), mega);
    EXPECT_NE(bytes_with_room(mega).data(), first) << "it was taken";
}

TEST(KeptPayloads, AreNoMoreThanAFewMegabytes) {
    const auto in_use = [] { return static_cast<std::int64_t>(mallinfo2().uordblks + mallinfo2().hblkhd); };
    const std::int64_t before = in_use();
    for (const std::size_t room : {mega, std::size_t{20} << 10, 3 * mega}) {
        std::vector<std::vector<std::byte>> payloads(100);
        for (std::vector<std::byte>& payload : payloads) {
            payload = bytes_with_room(room);
        }
        for (std::vector<std::byte>& payload : payloads) {
            give_back(std::move(payload));
        }
        payloads = {};
        EXPECT_LE(in_use() - before, static_cast<std::int64_t>(9 * mega))
            << room;  // or another allocator tells nothing
    }
    give_back(std::vector<std::byte>(64 * mega));
    give_back({});
    EXPECT_LE(in_use() - before, static_cast<std::int64_t>(9 * mega));
}

TEST(KeptPayloads, AreThoseOfEncoding) {
    std::vector<double> values(std::size_t{1} << 17);
    std::iota(values.begin(), values.end(), 0.1);
    ArrayView array = ArrayView::row_major(values.data(), Dtype::f64, {std::int64_t{1} << 17});
    auto payload = encode(array, {.codec = "shuffle+lz4"}).value();
    ASSERT_GT(payload.capacity(), std::size_t{16} << 10);
    const std::vector<std::byte> before = payload;
    const std::byte* const first = payload.data();
    give_back(std::move(payload));
    const auto again = encode(array, {.codec = "shuffle+lz4"}).value();
    EXPECT_EQ(again.data(), first);
    EXPECT_EQ(again, before);
    std::ranges::fill(values, 0.5);
    EXPECT_LT(encode(array, {.codec = "shuffle+lz4"}).value().capacity(), again.capacity() / 2);
}

}  // namespace
}  // namespace staithe::transform
