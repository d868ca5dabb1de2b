// The limit for small steps: a ring of slots in shared memory by hand. One copy in, one value read.
#include <array>
#include <cstring>

#include "futex_wait.hpp"
#include "pair.hpp"

namespace {

using Payload = std::array<std::int64_t, bench::step_values>;

constexpr std::uint32_t release_batch = 16;

struct Ring {
    bench::Counter published;
    bench::Counter released;
    alignas(64) std::array<Payload, bench::queue_steps> slots;
};

void write(Ring& ring, const bench::Plan& plan) {
    Payload source{};
    std::uint32_t released = 0;
    const std::int64_t start = bench::now_ns();
    for (std::int64_t step = 0; step < plan.steps; ++step) {
        const auto count = static_cast<std::uint32_t>(step);
        while (count - released >= bench::queue_steps) {
            released = ring.released.wait_for_change(released);
        }
        Payload& slot = ring.slots[static_cast<std::size_t>(step % bench::queue_steps)];
        if (plan.timed()) {
            bench::wait_until(plan, start + step * plan.interval_ns);
            source[0] = bench::now_ns();
        } else {
            source[0] = step;
        }
        std::memcpy(&slot, &source, sizeof slot);
        ring.published.set(count + 1);
    }
}

void read(Ring& ring, const bench::Plan& plan) {
    bench::Log log(plan);
    std::uint32_t published = 0;
    for (std::int64_t step = 0; step < plan.steps; ++step) {
        const auto count = static_cast<std::uint32_t>(step);
        if (published == count) {
            published = ring.published.wait_for_change(count);
        }
        const std::int64_t value = ring.slots[static_cast<std::size_t>(step % bench::queue_steps)][0];
        log.step(step, value);
        if (!plan.timed() && value != step) {
            throw std::exception();
        }
        // In batches: every word that moves costs a trip between the cores. All of them before waiting.
        if ((count + 1) % release_batch == 0 || published == count + 1) {
            ring.released.set(count + 1);
        }
    }
    log.report();
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Plan plan = bench::plan_of(argc, argv);
    Ring& ring = bench::shared<Ring>();
    return bench::run_pair(plan, [&] { write(ring, plan); }, [&] { read(ring, plan); });
}
