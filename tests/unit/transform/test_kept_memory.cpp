#include "transform/kept_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <thread>

#include <gtest/gtest.h>
#include <malloc.h>

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

}  // namespace
}  // namespace staithe::transform
