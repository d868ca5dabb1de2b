// A StepQueue in tests: its events in short, and what it delivers in words.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "stream/directing/step_queue.hpp"

namespace staithe::testing {

using stream::Overflow;
using stream::StepQueue;

inline Overflow policy(const char* name) { return stream::parse_overflow(name).value(); }

inline std::string in_words(const StepQueue::Delivery& delivery) {
    using Kind = StepQueue::Delivery::Kind;
    const auto whose = delivery.group == nullptr ? "the expected" : delivery.group->program;
    switch (delivery.kind) {
        case Kind::published: return fmt::format("published {}", delivery.step);
        case Kind::skipped: return fmt::format("skipped {}", delivery.step);
        case Kind::announce: return fmt::format("{} to {}", delivery.step, delivery.member);
        case Kind::at_rest: return fmt::format("{} rests", delivery.step);
        case Kind::freed: return fmt::format("freed {}", delivery.step);
        case Kind::dropped: return fmt::format("{} lost {}", whose, delivery.count);
        case Kind::activated: return fmt::format("{} begins with {}", whose, delivery.group->start);
        case Kind::lost: return delivery.member < 0 ? "lost" : fmt::format("lost to {}", delivery.member);
        case Kind::ended: return delivery.member < 0 ? "ended" : fmt::format("ended to {}", delivery.member);
    }
    return "";
}

class StepQueueTest : public ::testing::Test {
  protected:
    /// The stream that the test is about, if not the default one.
    void open(StepQueue::Settings settings) {
        settings.limits.bytes = settings.limits.bytes == 0 ? 1 << 20 : settings.limits.bytes;
        queue_.emplace(settings);
    }
    StepQueue& queue() {
        if (!queue_) {
            open({.limits = {.steps = 4}});
        }
        return *queue_;
    }
    /// What has been delivered since the last look, in words.
    std::string said() {
        std::string text;
        for (const auto& delivery : queue().deliveries()) {
            text += (text.empty() ? "" : "; ") + in_words(delivery);
        }
        queue().deliveries().clear();
        return text;
    }
    /// A group of one rank that has all it needs.
    void join(int member, const StepQueue::GroupWish& wish) {
        queue().join(wish, 0, member);
        queue().ready(member);
    }
    void write(int steps = 1, std::int64_t bytes = 10) {
        for (int i = 0; i < steps; ++i) {
            EXPECT_EQ(record(0, queue().writer(0).next, {.data_bytes = bytes}), StepQueue::Refusal::none);
        }
    }
    StepQueue::Refusal record(int rank, std::int64_t step, const StepQueue::StepPart& part = {}) {
        return queue().record(rank, step, part).refusal;
    }
    std::optional<StepQueue> queue_;
};

}  // namespace staithe::testing
