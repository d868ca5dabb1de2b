#include "transport/ring.hpp"

#include <sys/mman.h>

#include <deque>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/watchdog.hpp"

namespace staithe::transport {
namespace {

/// Zeroed memory for a ring, shared with children.
class RingMemory {
  public:
    explicit RingMemory(std::uint64_t slots)
        : slots_(slots),
          memory_(::mmap(nullptr, ring_bytes(slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
    ~RingMemory() { ::munmap(memory_, ring_bytes(slots_)); }
    RingMemory(const RingMemory&) = delete;
    RingMemory& operator=(const RingMemory&) = delete;

    [[nodiscard]] std::byte* bytes() const { return static_cast<std::byte*>(memory_); }
    [[nodiscard]] RingProducer producer() const { return {bytes(), slots_}; }
    [[nodiscard]] RingConsumer consumer() const { return {bytes(), slots_}; }

  private:
    std::uint64_t slots_;
    void* memory_;
};

Message numbered_message(std::uint64_t number) {
    const auto n = static_cast<std::int64_t>(number);
    return {static_cast<std::uint32_t>(number % 7), static_cast<std::uint32_t>(number), number, n * 3, n * 5, -n, {}};
}

bool is_message(const Message& message, std::uint64_t number) {
    const Message expected = numbered_message(number);
    return message.kind == expected.kind && message.rank == expected.rank && message.step == expected.step &&
           message.offset == expected.offset && message.bytes == expected.bytes &&
           message.data_bytes == expected.data_bytes;
}

TEST(Ring, HasAPowerOfTwoSlotsAndAtLeastFour) {
    EXPECT_EQ(ring_slots(0), 4U);
    EXPECT_EQ(ring_slots(4), 4U);
    EXPECT_EQ(ring_slots(5), 8U);
    EXPECT_EQ(ring_slots(64), 64U);
    EXPECT_EQ(ring_bytes(8), 512U);
}

TEST(Ring, StartsEmptyAndRefusesWhenFull) {
    const RingMemory memory(4);
    RingProducer producer = memory.producer();
    RingConsumer consumer = memory.consumer();
    Message message;
    EXPECT_TRUE(consumer.empty());
    EXPECT_FALSE(consumer.pop(message));
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(producer.push(numbered_message(i)));
    }
    EXPECT_FALSE(producer.push(numbered_message(4)));
    EXPECT_TRUE(consumer.pop(message));
    EXPECT_TRUE(is_message(message, 0));
    EXPECT_TRUE(producer.push(numbered_message(4))) << "a popped slot is free again";
    EXPECT_FALSE(producer.push(numbered_message(5)));
}

TEST(Ring, BehavesAsAQueueOverManyLaps) {
    const RingMemory memory(8);
    RingProducer producer = memory.producer();
    RingConsumer consumer = memory.consumer();
    std::deque<std::uint64_t> model;
    std::mt19937 random(42);
    std::uint64_t next = 0;
    for (int turn = 0; turn < 20000; ++turn) {
        if (random() % 2 == 0) {
            ASSERT_EQ(producer.push(numbered_message(next)), model.size() < 8);
            if (model.size() < 8) {
                model.push_back(next++);
            }
        } else {
            Message message;
            ASSERT_EQ(consumer.empty(), model.empty());
            ASSERT_EQ(consumer.pop(message), !model.empty());
            if (!model.empty()) {
                ASSERT_TRUE(is_message(message, model.front()));
                model.pop_front();
            }
        }
    }
    EXPECT_GT(next, 1000U);
}

TEST(Ring, GarbledSequenceNumbersLeadNobodyOutOfTheRing) {
    const RingMemory memory(4);
    RingProducer producer = memory.producer();
    RingConsumer consumer = memory.consumer();
    std::mt19937_64 random(1);
    for (int turn = 0; turn < 1000; ++turn) {
        for (std::uint64_t i = 0; i < ring_bytes(4); i += 8) {
            const std::uint64_t noise = random();
            std::memcpy(memory.bytes() + i, &noise, sizeof(noise));
        }
        Message message;
        static_cast<void>(producer.push(numbered_message(1)));
        static_cast<void>(consumer.pop(message));
    }
}

/// Sends `count` messages through a small ring, without a bell.
void produce(RingProducer producer, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count;) {
        if (producer.push(numbered_message(i))) {
            ++i;
        } else {
            std::this_thread::yield();
        }
    }
}

bool consume(RingConsumer consumer, std::uint64_t count) {
    Message message;
    for (std::uint64_t i = 0; i < count;) {
        if (!consumer.pop(message)) {
            std::this_thread::yield();
        } else if (!is_message(message, i++)) {
            return false;
        }
    }
    return true;
}

TEST(Ring, CarriesMessagesBetweenThreadsInOrder) {
    const testing::Watchdog watchdog;
    const RingMemory memory(8);
    std::thread producing([&] { produce(memory.producer(), 20000); });
    EXPECT_TRUE(consume(memory.consumer(), 20000));
    producing.join();
}

TEST(Ring, CarriesMessagesBetweenProcessesInOrder) {
    const testing::Watchdog watchdog;
    const RingMemory memory(8);
    testing::ChildProcess child([&] { return consume(memory.consumer(), 20000) ? 0 : 1; });
    produce(memory.producer(), 20000);
    EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace staithe::transport
