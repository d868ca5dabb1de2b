#include "waiting.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <staithe/waiting.hpp>

namespace nb = nanobind;

namespace staithe::python {
namespace {

thread_local bool released_here = false;
thread_local bool is_joined = false;

std::atomic<bool> python_ends = false;
std::thread::id ending_thread;

// A daemon thread that asks for the GIL of an ending interpreter is ended by force, which C++ destructors turn into a
// crash of the whole program. So it sleeps until the process is gone.
void stay_away_if_python_ends() {
    if (!python_ends.load(std::memory_order_acquire) || std::this_thread::get_id() == ending_thread || is_joined) {
        return;
    }
    for (;;) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

bool signal_came() {
    if (!Released::is_here()) {
        return false;
    }
    stay_away_if_python_ends();
    const nb::gil_scoped_acquire acquired;
    // True: a handler raised, now or when this was asked before, and the exception waits to be seen.
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

}  // namespace

Released::Released() : state_(PyEval_SaveThread()), outer_(std::exchange(released_here, true)) {}

Released::~Released() {
    released_here = outer_;
    stay_away_if_python_ends();
    PyEval_RestoreThread(state_);
}

bool Released::is_here() { return released_here; }

void Turn::await() const {
    constexpr std::chrono::microseconds pause{100};  // most calls copy an array, and are over soon
    while (taken_by_ && taken_by_ != std::this_thread::get_id()) {
        const Released released;
        std::this_thread::sleep_for(pause);
    }
}

void keep_other_threads_away() {
    ending_thread = std::this_thread::get_id();
    python_ends.store(true, std::memory_order_release);
}

void will_be_joined() { is_joined = true; }

void watch_for_signals() { set_interruption_check(signal_came); }

}  // namespace staithe::python
