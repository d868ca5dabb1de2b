// A producer at the limits of its process: it waits for readers, its own and those of the process's other streams.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/interruption.hpp"
#include "stream/producer.hpp"

namespace staithe::stream {
namespace {

// What another stream of the process gives back rings no bell of this one, so it looks again.
constexpr base::Seconds until_next_look{0.02};

}  // namespace

/// A stream of which nothing is in flight may always begin a step: else two of them could wait for each other.
bool Producer::process_has_credit() const {
    return in_memory_.bytes == 0 || base::has_room(base::Resource::bytes_in_flight, last_step_bytes_);
}

bool Producer::wait_for_readers(const base::Deadline& deadline, const std::function<bool()>& ready) {
    for (;;) {
        const bool others_count = !process_has_credit();
        const base::Seconds left = deadline.left();
        const base::Deadline turn(others_count ? std::min(left, until_next_look) : left);
        if (transport::wait(director_->bell(), turn, patience_, ready)) {
            return true;
        }
        if (deadline.passed() || base::interrupted()) {
            return false;
        }
    }
}

base::Result<memory::Allocation> Producer::allocate_in_memory(std::int64_t bytes) {
    auto memory = pool_->allocate(bytes);
    if (memory || memory.error().code != ErrorCode::limit_reached) {
        return memory;
    }
    const base::Deadline deadline{base::Seconds(timeout_)};
    const auto began = base::Clock::now();
    // As long as readers hold steps of this process, waiting can help.
    while (!memory && memory.error().code == ErrorCode::limit_reached &&
           base::used(base::Resource::bytes_in_flight) > 0 && !deadline.passed() && !base::interrupted()) {
        const std::size_t held = in_memory_.steps;
        const base::Deadline turn(std::min<base::Seconds>(deadline.left(), until_next_look));
        static_cast<void>(transport::wait(director_->bell(), turn, patience_, [&] {
            collect_freed();
            return in_memory_.steps < held;
        }));
        if (auto trouble = director_->trouble()) {
            return tl::unexpected(*std::move(trouble));
        }
        memory = pool_->allocate(bytes);
    }
    const auto waited = base::Clock::now() - began;
    stall_.add(waited);
    director_->add_stall(waited);
    if (!memory && deadline.passed()) {
        return base::fail(memory.error().code, "stream '{}': {} (waited {:g} s: {})", stream_, memory.error().message,
                          deadline.seconds(), director_->who_holds_steps());
    }
    return memory;
}

}  // namespace staithe::stream
