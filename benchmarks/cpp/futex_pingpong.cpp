// The cheapest blocking hand-over that the kernel has: two processes that wake each other through a futex and never
// spin; half of a round trip. `latency`: one round trip after the other. `paced`: one every INTERVAL_US, by when the
// sleeper's core has gone idle, and waking it takes longer.
#include "futex_wait.hpp"
#include "pair.hpp"

namespace {

struct Words {
    alignas(64) std::atomic<std::uint32_t> ping{0};
    alignas(64) std::atomic<std::uint32_t> pong{0};
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

void answer(Words& words, const bench::Plan& plan) {
    for (std::int64_t round = 0; round < plan.steps; ++round) {
        wait_beyond(words.ping, static_cast<std::uint32_t>(round));
        move(words.pong);
    }
}

void ask(Words& words, const bench::Plan& plan) {
    bench::Log log(plan);
    const std::int64_t start = bench::now_ns();
    for (std::int64_t round = 0; round < plan.steps; ++round) {
        bench::wait_until(plan, start + round * plan.interval_ns);
        const std::int64_t asked = bench::now_ns();
        move(words.ping);
        wait_beyond(words.pong, static_cast<std::uint32_t>(round));
        log.step(round, asked + (bench::now_ns() - asked) / 2);
    }
    log.report();
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Plan plan = bench::plan_of(argc, argv);
    Words& words = bench::shared<Words>();
    return bench::run_pair(plan, [&] { answer(words, plan); }, [&] { ask(words, plan); });
}
