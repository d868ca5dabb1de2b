// What the tests of streams share: a run directory of their own, a watchdog, threads as ranks, and steps whose every
// value says where it comes from.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"

namespace staithe::testing {

class StreamTest : public ::testing::Test {
  private:
    Watchdog watchdog_;
    TemporaryDirectory directory_;
    EnvironmentVariable run_directory_{"STAITHE_RUN_DIR", directory_.path().c_str()};
    EnvironmentVariable timeout_{"STAITHE_TIMEOUT", "30"};
    EnvironmentVariable placement_{"STAITHE_PLACEMENT", nullptr};
    EnvironmentVariable streams_{"STAITHE_STREAMS", nullptr};

  protected:
    [[nodiscard]] const std::string& run_directory() const { return directory_.path(); }
};

/// Runs body(rank) in a thread for each rank, and passes the first exception on.
inline void run_ranks(int size, const std::function<void(int)>& body) {
    std::mutex mutex;
    std::exception_ptr failure;
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < size; ++rank) {
        ranks.emplace_back([&, rank] {
            try {
                body(rank);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = failure ? failure : std::current_exception();
            }
        });
    }
    for (std::thread& rank : ranks) {
        rank.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

/// The value of element `i` of the whole variable in a step.
inline double value_at(std::int64_t step, std::int64_t i) {
    return static_cast<double>(step) * 1e6 + static_cast<double>(i);
}

/// Elements [first, first + count) of the variable in a step.
inline std::vector<double> values_of(std::int64_t step, std::int64_t first, std::int64_t count) {
    std::vector<double> values;
    for (std::int64_t i = first; i < first + count; ++i) {
        values.push_back(value_at(step, i));
    }
    return values;
}

/// Writes this rank's part of "x": `each` elements of a global array, at its place.
inline void write_step(Writer& out, std::int64_t each = 16) {
    WriteStep step = out.begin_step();
    const int rank = out.group().rank;
    const std::vector<double> values = values_of(step.index(), rank * each, each);
    step.put("x", std::span<const double>(values),
             {.offset = Extents{rank * each}, .shape = Extents{out.group().size * each}});
    step.end();
}

inline void write_steps(Writer& out, int steps, std::int64_t each = 16) {
    for (int i = 0; i < steps; ++i) {
        write_step(out, each);
    }
}

/// Whether "x" of the step is what write_step wrote.
inline void expect_intact(const ReadStep& step) {
    const Variable x = step.variable("x");
    ASSERT_EQ(x.read<double>(), values_of(step.index(), 0, x.shape()[0])) << "in step " << step.index();
}

/// Takes, checks and releases every step until the stream ends; their numbers.
inline std::vector<std::int64_t> read_to_end(Reader& in) {
    std::vector<std::int64_t> numbers;
    while (const auto step = in.next()) {
        expect_intact(*step);
        numbers.push_back(step->index());
    }
    return numbers;
}

inline std::vector<std::int64_t> first_numbers(std::int64_t count) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(i);
    }
    return numbers;
}

/// "group2". Not written with +, in which gcc 12 sees overlapping copies that are not there.
inline std::string numbered(const char* text, std::int64_t number) {
    std::string name(text);
    name += std::to_string(number);
    return name;
}

/// The code of the staithe::Error that `call` throws.
template <class Call>
ErrorCode code_thrown_by(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorCode::system;
}

}  // namespace staithe::testing
