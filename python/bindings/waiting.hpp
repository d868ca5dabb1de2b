// Calls that may take long: other Python threads run meanwhile, and Ctrl-C ends a wait.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <thread>

#include <staithe/error.hpp>

namespace staithe::python {

/// Below this many bytes a copy is over sooner than another thread could use the time.
inline constexpr std::int64_t long_copy_bytes = std::int64_t{256} << 10;

/// Has waits ask, every now and then, whether a signal came.
void watch_for_signals();

/// From now on no thread but this one comes back from a wait: Python ends, and would end them in the middle.
void keep_other_threads_away();
/// In a forked child there are none.
void forget_other_threads();

/// But this thread does: it is joined before Python ends.
void will_be_joined();

/// While it lives this thread is in a call from Python and does not hold the GIL.
class Released {
  public:
    Released();
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;
    ~Released();

    /// Whether this thread may take the GIL to look for signals. The library's own threads must not: whoever
    /// joins them may hold it.
    [[nodiscard]] static bool is_here();

  private:
    PyThreadState* state_;
    bool outer_;  // an analysis that runs within a call makes calls of its own
};

/// Runs `call` without the GIL.
template <class Call>
auto without_gil(Call&& call) {
    try {
        const Released released;
        return call();
    } catch (const Error&) {
        if (PyErr_Occurred() != nullptr) {
            throw nanobind::python_error();  // a signal's handler raised it, and that ended the wait
        }
        throw;
    }
}

/// The same if `condition` holds.
template <class Call>
auto without_gil_if(bool condition, Call&& call) {
    return condition ? without_gil(call) : call();
}

/// Only one thread at a time may be in a Writer or Reader. Guarded by the GIL.
class Turn {
  public:
    [[nodiscard]] bool taken() const noexcept { return taken_by_.has_value(); }
    /// Waits until a call of another thread is over, for what must not be left undone.
    void await() const;

  private:
    friend class Entered;
    std::optional<std::thread::id> taken_by_;
};

/// While it lives this thread has its turn; the others are told so, rather than let in.
class Entered {
  public:
    explicit Entered(Turn& turn) : turn_(turn) {
        if (turn.taken()) {
            throw InvalidArgument(
                "another thread, or an analysis, is just using this stream object: one at a time may");
        }
        turn.taken_by_ = std::this_thread::get_id();
    }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    ~Entered() { turn_.taken_by_.reset(); }

  private:
    Turn& turn_;
};

}  // namespace staithe::python
