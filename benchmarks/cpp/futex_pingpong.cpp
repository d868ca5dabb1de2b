// The cheapest blocking hand-over that the kernel has: two processes that wake each other through a futex, and never
// spin. `latency`: half of a round trip, one after the other. `paced`: from the wake-up call to the sleeper's first
// instruction, once every INTERVAL_US: what a core that has gone idle adds.
#include "futex_wait.hpp"
#include "pair.hpp"

namespace {

struct Words {
    alignas(64) std::atomic<std::uint32_t> ping{0};
    alignas(64) std::atomic<std::uint32_t> pong{0};
    alignas(64) std::atomic<std::int64_t> stamp_ns{0};
};

void move(std::atomic<std::uint32_t>& word) {
    word.fetch_add(1);
    bench::futex_wake(word);
}

void wait_beyond(std::atomic<std::uint32_t>& word, std::uint32_t count) {
    while (word.load() <= count) {
        bench::futex_wait(word, count);
    }
}

void write(Words& words, const bench::Plan& plan) {
    const std::int64_t start = bench::now_ns();
    for (std::int64_t step = 0; step < plan.steps; ++step) {
        if (plan.mode == "paced") {
            bench::wait_until(plan, start + step * plan.interval_ns);
        }
        words.stamp_ns.store(bench::now_ns());
        move(words.ping);
        wait_beyond(words.pong, static_cast<std::uint32_t>(step));
    }
}

void read(Words& words, const bench::Plan& plan) {
    bench::Log log(plan);
    std::int64_t last = bench::now_ns();
    for (std::int64_t step = 0; step < plan.steps; ++step) {
        wait_beyond(words.ping, static_cast<std::uint32_t>(step));
        const std::int64_t now = bench::now_ns();
        log.step(step, plan.mode == "paced" ? words.stamp_ns.load() : now - (now - last) / 2);
        last = now;
        move(words.pong);
    }
    log.report();
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Plan plan = bench::plan_of(argc, argv);
    Words& words = bench::shared<Words>();
    return bench::run_pair(plan, [&] { write(words, plan); }, [&] { read(words, plan); });
}
