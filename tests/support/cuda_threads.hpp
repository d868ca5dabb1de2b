// Runs what is written for CUDA on a CPU: the threads of a block are fibers, of which one goes on until it has to wait
// for others of its warp or block. Who goes on next is drawn, so that what relies on an order fails. A block whose
// threads wait for each other for ever ends the process.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "support/sanitizers.hpp"

struct CudaPlace {
    unsigned x = 0;
};
inline CudaPlace threadIdx;
inline CudaPlace blockIdx;
inline CudaPlace blockDim;

// A block at a time, so what its threads share may be static.
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(threads)

namespace staithe::testing {

class CudaBlock {
  public:
    static constexpr unsigned warp = 32;

    /// Runs the block's threads, a whole number of warps.
    static void run(unsigned threads, const std::function<void()>& body) {
        CudaBlock block(threads, body);
        now() = &block;
        block.run_all();
        now() = nullptr;
    }
    static CudaBlock& here() { return *now(); }

    void wait_for_block() { wait(block_); }
    /// What the lanes of the calling thread's warp give.
    const std::array<unsigned, warp>& exchange(unsigned mine) {
        Fiber& fiber = fibers_[threadIdx.x];
        Warp& own = warps_[threadIdx.x / warp];
        auto& slots = own.slots[fiber.exchanges++ % 2];  // nobody is two ahead of another one
        slots[threadIdx.x % warp] = mine;
        wait(own.lanes);
        return slots;
    }

  private:
    struct Barrier {
        unsigned expected = 0;
        unsigned arrived = 0;
        unsigned times = 0;
    };
    struct Warp {
        Barrier lanes{.expected = warp};
        std::array<std::array<unsigned, warp>, 2> slots{};
    };
    struct Fiber {
        ucontext_t context{};
        std::vector<char> stack = std::vector<char>(1 << 16);
        const Barrier* awaited = nullptr;
        unsigned since = 0;
        unsigned exchanges = 0;
        bool is_done = false;
        void* fake_stack = nullptr;
        [[nodiscard]] bool can_go_on() const { return !is_done && (awaited == nullptr || awaited->times != since); }
    };

    CudaBlock(unsigned threads, const std::function<void()>& body)
        : body_(body), fibers_(threads), warps_(threads / warp), block_{.expected = threads} {}

    static CudaBlock*& now() {
        static CudaBlock* block = nullptr;
        return block;
    }

    void run_all() {
        blockDim.x = static_cast<unsigned>(fibers_.size());
        for (Fiber& fiber : fibers_) {
            getcontext(&fiber.context);
            fiber.context.uc_stack.ss_sp = fiber.stack.data();
            fiber.context.uc_stack.ss_size = fiber.stack.size();
            fiber.context.uc_link = nullptr;
            makecontext(&fiber.context, begin, 0);
        }
        static std::minstd_rand random(1);
        const auto draw = [](std::size_t below) { return static_cast<unsigned>(random() % below); };
        for (bool any = true; any;) {
            // Now and then one warp goes on alone, as far as it can.
            const unsigned alone = warp * draw(warps_.size());
            for (bool goes_on = draw(8) == 0; goes_on;) {
                goes_on = go_on(alone, warp, draw(warp));
            }
            any = go_on(0, static_cast<unsigned>(fibers_.size()), draw(fibers_.size()));
        }
        for (const Fiber& fiber : fibers_) {
            if (!fiber.is_done) {
                std::fputs("threads of a CUDA block wait for each other for ever\n", stderr);
                std::abort();
            }
        }
    }

    /// Those of so many threads that can go on, one after the other; false if there is none.
    bool go_on(unsigned begin, unsigned count, unsigned first) {
        bool any = false;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned number = begin + (first + i) % count;
            if (Fiber& fiber = fibers_[number]; fiber.can_go_on()) {
                any = true;
                threadIdx.x = number;
                begin_switch(&scheduler_fake_stack_, fiber.stack.data(), fiber.stack.size());
                swapcontext(&scheduler_, &fiber.context);
                end_switch(scheduler_fake_stack_, nullptr, nullptr);
            }
        }
        return any;
    }

    static void begin() {
        CudaBlock& block = here();
        end_switch(nullptr, &block.scheduler_stack_, &block.scheduler_stack_bytes_);
        block.body_();
        Fiber& fiber = block.fibers_[threadIdx.x];
        fiber.is_done = true;
        begin_switch(nullptr, block.scheduler_stack_, block.scheduler_stack_bytes_);
        setcontext(&block.scheduler_);
    }

    void wait(Barrier& barrier) {
        if (++barrier.arrived == barrier.expected) {
            barrier.arrived = 0;
            ++barrier.times;
            return;
        }
        Fiber& fiber = fibers_[threadIdx.x];
        fiber.awaited = &barrier;
        fiber.since = barrier.times;
        begin_switch(&fiber.fake_stack, scheduler_stack_, scheduler_stack_bytes_);
        swapcontext(&fiber.context, &scheduler_);
        end_switch(fiber.fake_stack, nullptr, nullptr);
        fiber.awaited = nullptr;
    }

    // AddressSanitizer has to know on which stack it is.
    static void begin_switch([[maybe_unused]] void** kept, [[maybe_unused]] const void* stack,
                             [[maybe_unused]] std::size_t bytes) {
#ifdef STAITHE_ADDRESS_SANITIZER
        __sanitizer_start_switch_fiber(kept, stack, bytes);
#endif
    }
    static void end_switch([[maybe_unused]] void* kept, [[maybe_unused]] const void** stack,
                           [[maybe_unused]] std::size_t* bytes) {
#ifdef STAITHE_ADDRESS_SANITIZER
        __sanitizer_finish_switch_fiber(kept, stack, bytes);
#endif
    }

    const std::function<void()>& body_;
    std::vector<Fiber> fibers_;
    std::vector<Warp> warps_;
    Barrier block_;
    ucontext_t scheduler_{};
    void* scheduler_fake_stack_ = nullptr;
    const void* scheduler_stack_ = nullptr;
    std::size_t scheduler_stack_bytes_ = 0;
};

}  // namespace staithe::testing

inline void __syncthreads() { staithe::testing::CudaBlock::here().wait_for_block(); }
inline unsigned __ballot_sync(unsigned /*mask*/, bool is_set) {
    unsigned bits = 0;
    unsigned lane = 0;
    for (const unsigned one : staithe::testing::CudaBlock::here().exchange(is_set ? 1 : 0)) {
        bits |= one << lane++;
    }
    return bits;
}
inline unsigned __shfl_up_sync(unsigned /*mask*/, unsigned mine, unsigned distance) {
    const unsigned lane = threadIdx.x % staithe::testing::CudaBlock::warp;
    const auto& all = staithe::testing::CudaBlock::here().exchange(mine);
    return all[lane >= distance ? lane - distance : lane];
}
inline unsigned __shfl_xor_sync(unsigned /*mask*/, unsigned mine, unsigned mask) {
    const unsigned lane = threadIdx.x % staithe::testing::CudaBlock::warp;
    return staithe::testing::CudaBlock::here().exchange(mine)[lane ^ mask];
}
inline int __clz(int number) { return number == 0 ? 32 : __builtin_clz(static_cast<unsigned>(number)); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline void atomicOr(unsigned* at, unsigned bits) { *at |= bits; }
inline void atomicMin(unsigned* at, unsigned number) { *at = number < *at ? number : *at; }
