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
std::atomic<int> asking = 0;  // threads that are about to have the GIL
std::thread::id ending_thread;

// A daemon thread that asks for the GIL of an ending interpreter is ended by force, which C++ destructors turn into a
// crash of the whole program. So it sleeps until the process is gone; who asks already is waited for.
template <class Take>
void take_gil_unless_python_ends(const Take& take) {
    ++asking;
    if (python_ends && std::this_thread::get_id() != ending_thread && !is_joined) {
        --asking;
        for (;;) {
            std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }
    take();
    --asking;
}

bool signal_came() {
    if (!Released::is_here()) {
        return false;
    }
    std::optional<nb::gil_scoped_acquire> acquired;
    take_gil_unless_python_ends([&] { acquired.emplace(); });
    // True: a handler raised, now or when this was asked before, and the exception waits to be seen.
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

}  // namespace

Released::Released() : state_(PyEval_SaveThread()), outer_(std::exchange(released_here, true)) {}

Released::~Released() {
    released_here = outer_;
    take_gil_unless_python_ends([this] { PyEval_RestoreThread(state_); });
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
    python_ends = true;
    while (asking != 0) {
        PyThreadState* const state = PyEval_SaveThread();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        PyEval_RestoreThread(state);
    }
}

void forget_other_threads() { asking = 0; }

void will_be_joined() { is_joined = true; }

void watch_for_signals() { set_interruption_check(signal_came); }

}  // namespace staithe::python
