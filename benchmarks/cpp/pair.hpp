// Two pinned processes with a little shared memory between them, and what they measure with.
#pragma once

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

inline constexpr std::int64_t step_values = 128;  // 1 KiB of float64
inline constexpr std::int64_t queue_steps = 64;

/// What the command line asks for: `steps N 0`, `latency N INTERVAL_US` (busy between steps) or `paced N INTERVAL_US`
/// (asleep between steps), then the two cores.
struct Plan {
    std::string mode;
    std::int64_t steps = 0;
    std::int64_t interval_ns = 0;
    int writer_core = 0;
    int reader_core = 0;

    [[nodiscard]] bool timed() const { return mode != "steps"; }
    [[nodiscard]] std::int64_t warmup() const { return steps / 10; }
};

inline Plan plan_of(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: %s steps|latency|paced STEPS INTERVAL_US WRITER_CORE READER_CORE\n", argv[0]);
        std::exit(2);
    }
    return {argv[1], std::atoll(argv[2]), 1000 * std::atoll(argv[3]), std::atoi(argv[4]), std::atoi(argv[5])};
}

inline std::int64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// Waits for the moment of a step, as the plan has it.
inline void wait_until(const Plan& plan, std::int64_t moment_ns) {
    if (plan.mode == "paced") {
        timespec time{moment_ns / 1'000'000'000, moment_ns % 1'000'000'000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    } else {
        while (now_ns() < moment_ns) {
        }
    }
}

/// Shared between the two processes after the fork; zeroed and resident.
template <class T>
T& shared() {
    void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("mmap");
        std::exit(1);
    }
    return *new (memory) T;
}

inline void pin_to(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
        std::perror("sched_setaffinity");
        std::exit(1);
    }
}

/// Runs `write` in a child process and `read` in this one.
template <class Write, class Read>
int run_pair(const Plan& plan, const Write& write, const Read& read) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    try {
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent) {
                std::_Exit(1);
            }
            pin_to(plan.writer_core);
            write();
            std::_Exit(0);
        }
        pin_to(plan.reader_core);
        read();
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s: %s\n", child == 0 ? "writer" : "reader", problem.what());
        std::_Exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// What the reader notes of each step, and says at the end as one line of JSON.
class Log {
  public:
    explicit Log(const Plan& plan) : plan_(plan) {
        if (plan.timed()) {
            latencies_.reserve(static_cast<std::size_t>(plan.steps));
        }
    }

    void step(std::int64_t index, std::int64_t stamp_ns) {
        if (index < plan_.warmup()) {
            started_ns_ = 0;
        } else if (plan_.timed()) {
            latencies_.push_back(now_ns() - stamp_ns);
        } else if (index == plan_.warmup()) {
            started_ns_ = now_ns();
        }
    }

    void report() {
        if (plan_.timed()) {
            std::sort(latencies_.begin(), latencies_.end());
            std::printf("{\"median_us\": %.3f, \"p99_us\": %.3f}\n", 1e-3 * at(0.5), 1e-3 * at(0.99));
        } else {
            const double seconds = 1e-9 * static_cast<double>(now_ns() - started_ns_);
            std::printf("{\"steps_per_second\": %.0f}\n",
                        static_cast<double>(plan_.steps - 1 - plan_.warmup()) / seconds);
        }
    }

  private:
    [[nodiscard]] double at(double share) const {
        return static_cast<double>(
            latencies_[static_cast<std::size_t>(share * static_cast<double>(latencies_.size()))]);
    }

    Plan plan_;
    std::vector<std::int64_t> latencies_;
    std::int64_t started_ns_ = 0;
};

}  // namespace bench
