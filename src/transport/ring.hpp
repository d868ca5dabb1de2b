// A ring of fixed-size messages from one process to another, in shared memory.
//
// One producer, one consumer, no lock. Each slot carries its own sequence number, so that a message costs the
// transfer of one cache line. Both sides keep their positions to themselves: a peer that scribbles into the
// ring can garble messages, which are checked, but not lead the other side out of the ring.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace staithe::transport {

/// What fits beside the sequence number in one cache line.
struct Message {
    std::uint32_t kind = 0;
    std::uint32_t rank = 0;
    std::uint64_t step = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::int64_t data_bytes = 0;
    std::int64_t spilled_bytes = 0;
    std::uint16_t encoding = 0;
    std::uint16_t version = 0;
    std::uint32_t reserved = 0;
};

struct alignas(64) RingSlot {
    // In lap n (from 0): 2n free, 2n + 1 full. Zero bytes are an empty ring.
    std::atomic<std::uint64_t> sequence;
    Message message;
};
static_assert(sizeof(RingSlot) == 64 && std::is_trivially_copyable_v<Message>);

/// Slots of a ring that can hold `messages`, and the bytes that they take.
constexpr std::uint64_t ring_slots(std::uint64_t messages) { return std::bit_ceil(messages < 4 ? 4 : messages); }
constexpr std::uint64_t ring_bytes(std::uint64_t slots) { return slots * sizeof(RingSlot); }

/// Begins to take a cache line over that the other core wrote last.
inline void fetch_to_write([[maybe_unused]] const RingSlot& slot) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(slot));  // what the compiler's own takes for it fetches to read
#else
    __builtin_prefetch(&slot, 1);
#endif
}

class RingEnd {
  public:
    RingEnd() = default;
    /// `slots` as ring_slots() gave it; the memory is zeroed when the ring is new.
    RingEnd(std::byte* memory, std::uint64_t slots)
        : slots_(reinterpret_cast<RingSlot*>(memory)), mask_(slots - 1), lap_shift_(std::countr_zero(slots)) {}

  protected:
    [[nodiscard]] RingSlot& slot() const { return slots_[position_ & mask_]; }
    [[nodiscard]] std::uint64_t lap() const { return position_ >> lap_shift_; }

    RingSlot* slots_ = nullptr;
    std::uint64_t mask_ = 0;
    int lap_shift_ = 0;
    std::uint64_t position_ = 0;
};

class RingProducer : public RingEnd {
  public:
    using RingEnd::RingEnd;

    /// False when the ring is full.
    bool push(const Message& message) {
        RingSlot& free = slot();
        if (free.sequence.load(std::memory_order_acquire) != 2 * lap()) {
            return false;
        }
        free.message = message;
        free.sequence.store(2 * lap() + 1, std::memory_order_release);
        ++position_;
        fetch_to_write(slot());
        return true;
    }
};

class RingConsumer : public RingEnd {
  public:
    using RingEnd::RingEnd;

    [[nodiscard]] bool empty() const { return slot().sequence.load(std::memory_order_acquire) != 2 * lap() + 1; }

    /// False when the ring is empty.
    bool pop(Message& message) {
        if (empty()) {
            return false;
        }
        RingSlot& full = slot();
        message = full.message;
        full.sequence.store(2 * (lap() + 1), std::memory_order_release);
        ++position_;
        return true;
    }
};

}  // namespace staithe::transport
