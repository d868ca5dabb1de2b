// Many writer ranks and many reader ranks, a process each, with 1 KiB a rank and step: what a step costs when there is
// little to copy. The writers hold a row each of a two-dimensional array, and each reader reads a block of it, which
// lies in several rows.
#include <staithe/staithe.hpp>

#include <sys/wait.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "pair.hpp"

namespace {

const std::string stream = "ranks";
constexpr double timeout = 60.0;

struct Ranks {
    int writers = 0;
    int readers = 0;
    std::int64_t steps = 0;
    [[nodiscard]] std::int64_t warmup() const { return steps / 10; }
};

/// What the first reader rank saw; shared by the processes.
struct Times {
    std::int64_t started_ns = 0;
    std::int64_t stopped_ns = 0;
};

void write(const Ranks& ranks, int rank) {
    staithe::WriterOptions options;
    options.group = {rank, ranks.writers, "writers"};
    options.queue_steps = bench::queue_steps;
    options.timeout = timeout;
    staithe::Writer out(stream, options);
    std::vector<std::int64_t> row(bench::step_values);
    const staithe::ArrayView view =
        staithe::ArrayView::row_major(row.data(), staithe::Dtype::i64, {1, bench::step_values});
    staithe::PutOptions place;
    place.shape = staithe::Extents{ranks.writers, bench::step_values};
    place.offset = staithe::Extents{rank, 0};
    for (std::int64_t index = 0; index < ranks.steps; ++index) {
        std::fill(row.begin(), row.end(), index);
        staithe::WriteStep step = out.begin_step();
        step.put("x", view, place);
        step.end();
    }
    out.close();
}

void read(const Ranks& ranks, int rank, Times& times) {
    staithe::ReaderOptions options;
    options.group = {rank, ranks.readers, "readers"};
    options.timeout = timeout;
    staithe::Reader in(stream, options);
    std::vector<std::int64_t> values;
    std::int64_t index = 0;
    while (std::optional<staithe::ReadStep> step = in.next()) {
        const staithe::Variable x = step->variable("x");
        const staithe::Selection mine = x.part(staithe::Share::block, options.group);
        const staithe::Extents shape = staithe::shape_of(mine);
        values.resize(static_cast<std::size_t>(shape[0] * shape[1]));
        x.read(mine, staithe::MutableArrayView::row_major(values.data(), staithe::Dtype::i64, shape));
        if (std::count(values.begin(), values.end(), index) != static_cast<std::int64_t>(values.size())) {
            throw std::runtime_error("a step has the wrong value");
        }
        if (rank == 0 && index == ranks.warmup()) {
            times.started_ns = bench::now_ns();
        }
        ++index;
    }
    if (index != ranks.steps) {
        throw std::runtime_error("steps are missing");
    }
    if (rank == 0) {
        times.stopped_ns = bench::now_ns();
    }
}

int run_rank(const Ranks& ranks, int process, Times& times) {
    const bool writes = process < ranks.writers;
    const int rank = writes ? process : process - ranks.writers;
    try {
        if (writes) {
            write(ranks, rank);
        } else {
            read(ranks, rank, times);
        }
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s %d: %s\n", writes ? "writer" : "reader", rank, problem.what());
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    // The cores that come last are not used: that the ranks are more than those is the point.
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s WRITERS READERS STEPS\n", argv[0]);
        return 2;
    }
    const Ranks ranks{std::atoi(argv[1]), std::atoi(argv[2]), std::atoll(argv[3])};
    auto& times = bench::shared<Times>();
    const pid_t parent = getpid();
    for (int process = 0; process < ranks.writers + ranks.readers; ++process) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            std::_Exit(getppid() == parent ? run_rank(ranks, process, times) : 1);
        }
    }
    int failures = 0;
    for (int status = 0; wait(&status) > 0;) {
        failures += status == 0 ? 0 : 1;
    }
    const double seconds = 1e-9 * static_cast<double>(times.stopped_ns - times.started_ns);
    std::printf("{\"steps_per_second\": %.0f}\n", static_cast<double>(ranks.steps - 1 - ranks.warmup()) / seconds);
    return failures == 0 ? 0 : 1;
}
