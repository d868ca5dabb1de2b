// Small steps through Staithe's C++ interface: `steps` puts (one copy), `latency` and `paced` lend.
#include <staithe/staithe.hpp>

#include <array>
#include <optional>
#include <stdexcept>

#include "pair.hpp"

namespace {

const std::string stream = "small-steps";
constexpr double timeout = 30.0;

void write(const bench::Plan& plan) {
    staithe::WriterOptions options;
    options.queue_steps = bench::queue_steps;
    options.timeout = timeout;
    staithe::Writer out(stream, options);
    std::array<std::int64_t, bench::step_values> source{};
    const std::int64_t start = bench::now_ns();
    for (std::int64_t index = 0; index < plan.steps; ++index) {
        if (plan.timed()) {
            bench::wait_until(plan, start + index * plan.interval_ns);
            staithe::WriteStep step = out.begin_step();
            staithe::Loan loan = step.loan("x", staithe::Dtype::i64, {bench::step_values});
            auto* values = loan.data<std::int64_t>();
            step.publish(std::move(loan));
            // The memory is the writer's until `end`: from here to the reader's hand is what counts.
            *values = bench::now_ns();
            step.end();
        } else {
            staithe::WriteStep step = out.begin_step();
            source[0] = index;
            step.put("x", std::span<const std::int64_t>(source));
            step.end();
        }
    }
    out.close();
}

void read(const bench::Plan& plan) {
    staithe::ReaderOptions options;
    options.timeout = timeout;
    staithe::Reader in(stream, options);
    bench::Log log(plan);
    std::int64_t index = 0;
    while (std::optional<staithe::ReadStep> step = in.next()) {
        const staithe::View view = step->variable("x").block(0);
        const std::int64_t value = *static_cast<const std::int64_t*>(view.array.data);
        log.step(index, value);
        if (!plan.timed() && value != index) {
            throw std::runtime_error("a step has the wrong value");
        }
        ++index;
    }
    if (index != plan.steps) {
        throw std::runtime_error("steps are missing");
    }
    log.report();
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Plan plan = bench::plan_of(argc, argv);
    return bench::run_pair(plan, [&] { write(plan); }, [&] { read(plan); });
}
