#include "transform/kept_memory.hpp"

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
    std::thread([] {  // which has kept nothing yet
        std::vector<std::byte> payload = bytes_with_room(mega);
        payload.resize(mega / 2);
        const std::byte* const first = payload.data();
        give_back(std::move(payload));
        EXPECT_NE(bytes_with_room(mega + 1).data(), first) << "too small";
        EXPECT_NE(bytes_with_room(mega / 2 - 1).data(), first) << "most of it would be left over";
        const std::vector<std::byte> again = bytes_with_room(mega - mega / 4);
        EXPECT_EQ(again.data(), first);
        EXPECT_TRUE(again.empty());
        EXPECT_GE(again.capacity(), mega);
        EXPECT_NE(bytes_with_room(mega).data(), first) << "it was taken";
    })
        .join();
}

TEST(KeptPayloads, AreNoMoreThanAFewMegabytesOfAThread) {
    std::size_t kept = 0;
    std::thread([&kept] {
        const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
        for (int round = 0; round < 2; ++round) {
            std::vector<std::vector<std::byte>> payloads(64);
            for (std::vector<std::byte>& payload : payloads) {
                payload = bytes_with_room(round == 0 ? mega : std::size_t{20} << 10);
            }
            for (std::vector<std::byte>& payload : payloads) {
                give_back(std::move(payload));
            }
        }
        give_back(std::vector<std::byte>(64 * mega));
        give_back({});
        kept = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    }).join();
    EXPECT_LE(kept, 9 * mega);  // nothing is told where another allocator is in use
}

TEST(KeptPayloads, AreThoseOfEncoding) {
    std::thread([] {
        const std::vector<double> values(std::size_t{1} << 17, 0.5);
        const ArrayView array = ArrayView::row_major(values.data(), Dtype::f64, {std::int64_t{1} << 17});
        std::vector<double> noise(values.size());
        std::iota(noise.begin(), noise.end(), 0.1);
        const ArrayView large = ArrayView::row_major(noise.data(), Dtype::f64, array.shape);
        auto payload = encode(large, {.codec = "shuffle+lz4"}).value();
        ASSERT_GT(payload.capacity(), std::size_t{16} << 10);
        const std::vector<std::byte> before = payload;
        const std::byte* const first = payload.data();
        give_back(std::move(payload));
        const auto again = encode(large, {.codec = "shuffle+lz4"}).value();
        EXPECT_EQ(again.data(), first);
        EXPECT_EQ(again, before);
        EXPECT_LT(encode(array, {.codec = "shuffle+lz4"}).value().capacity(), again.capacity() / 2);
    }).join();
}

}  // namespace
}  // namespace staithe::transform
