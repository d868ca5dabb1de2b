// Objects of 1 KiB, put to a server and got back, one call after the other, and in batches:
// `staithe_objects CALLS CORE SERVER_CORE`.
#include <staithe/server.hpp>
#include <staithe/staithe.hpp>

#include "pair.hpp"

namespace {

constexpr int names = 1000;
constexpr double timeout = 30.0;

std::string name_of(std::int64_t call) { return "x" + std::to_string(call % names); }

template <class Call>
double calls_per_second(std::int64_t calls, const Call& call) {
    const std::int64_t began = bench::now_ns();
    for (std::int64_t number = 0; number < calls; ++number) {
        call(number);
    }
    return 1e9 * static_cast<double>(calls) / static_cast<double>(bench::now_ns() - began);
}

double batched_puts(staithe::Space& space, std::int64_t calls, const std::vector<double>& values) {
    staithe::SpaceBatch batch = space.batch();
    const std::int64_t began = bench::now_ns();
    for (std::int64_t call = 0; call < calls; ++call) {
        batch.put(name_of(call), values);
    }
    batch.send();
    return 1e9 * static_cast<double>(calls) / static_cast<double>(bench::now_ns() - began);
}

void check(const staithe::SpaceArray& got) {
    if (got.box.count[0] != bench::step_values) {
        throw std::runtime_error("an object has another size");
    }
}

double batched_gets(staithe::Space& space, std::int64_t calls) {
    staithe::SpaceBatch batch = space.batch();
    std::vector<staithe::SpaceBatchGet> got;
    const std::int64_t began = bench::now_ns();
    for (std::int64_t call = 0; call < calls; call += names) {
        for (std::int64_t number = 0; number < names; ++number) {
            got.push_back(batch.get(name_of(number)));
        }
        batch.send();
        for (const staithe::SpaceBatchGet& each : got) {
            check(each.get());
        }
        got.clear();
    }
    return 1e9 * static_cast<double>(calls) / static_cast<double>(bench::now_ns() - began);
}

void measure(std::int64_t calls) {
    while (staithe::server_names().empty()) {
        usleep(1000);
    }
    staithe::Space space("objects", {.timeout = timeout, .server = "staithe"});
    const std::vector<double> values(bench::step_values, 1.0);
    const auto put = [&](std::int64_t call) { space.put(name_of(call), values); };
    const auto get = [&](std::int64_t call) { check(space.get(name_of(call))); };
    for (std::int64_t call = 0; call < names; ++call) {
        space.keep(name_of(call), {.versions = 1});
        put(call);
        get(call);
    }
    const double puts = calls_per_second(calls, put);
    const double gets = calls_per_second(calls, get);
    const double together = batched_puts(space, 5 * calls, values);
    std::printf("{\"puts\": %.0f, \"gets\": %.0f, \"batched\": %.0f, \"batched_gets\": %.0f}\n", puts, gets, together,
                batched_gets(space, 5 * calls));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s CALLS CORE SERVER_CORE\n", argv[0]);
        return 2;
    }
    const pid_t server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bench::pin_to(std::atoi(argv[3]));
        const staithe::Server keeps;
        pause();
    }
    int code = 0;
    try {
        bench::pin_to(std::atoi(argv[2]));
        measure(std::atoll(argv[1]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        code = 1;
    }
    kill(server, SIGKILL);
    waitpid(server, nullptr, 0);
    return code;
}
