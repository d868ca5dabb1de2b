// Lines come up in any thread, often under locks of the library, while another thread holds the GIL and waits for such
// a lock. So who makes a line only queues it; one thread that holds nothing else takes the GIL and hands it over. That
// thread is ended before the interpreter is. A forked child does not have it: there, lines go to standard error
// until the next stream is opened.
#include "log_lines.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <staithe/logging.hpp>

#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

constexpr std::size_t most_waiting = 10'000;  // beyond them Python does not keep up: to standard error

struct LogLine {
    LogLevel level;
    double time;  // seconds since the epoch
    std::string text;
};

class LogLines {
  public:
    /// Throws std::system_error if no thread can be had.
    explicit LogLines(nb::callable receive) : receive_(std::move(receive)), thread_([this] { deliver(); }) {}

    bool add(LogLevel level, const std::string& text) {
        const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
        const std::lock_guard lock(mutex_);
        if (ending_ || waiting_.size() >= most_waiting) {
            return false;
        }
        waiting_.push_back({level, now.count(), text});
        came_.notify_one();
        return true;
    }

    /// Hands over what still waits. The caller holds the GIL.
    void end() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
            came_.notify_one();
        }
        const nb::gil_scoped_release released;
        thread_.join();
    }

  private:
    void deliver() {
        will_be_joined();  // a handler may use streams
        std::vector<LogLine> lines;
        do {
            lines.clear();
            {
                std::unique_lock lock(mutex_);
                came_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
                std::swap(lines, waiting_);
            }
            const nb::gil_scoped_acquire acquired;
            for (const LogLine& line : lines) {
                hand_over(line);
            }
        } while (!lines.empty());
    }

    void hand_over(const LogLine& line) {
        try {
            // A line may name what is no UTF-8, such as a file.
            const nb::object text = nb::steal(
                PyUnicode_DecodeUTF8(line.text.data(), static_cast<Py_ssize_t>(line.text.size()), "backslashreplace"));
            receive_(static_cast<int>(line.level), line.time, text);
        } catch (nb::python_error& error) {
            error.discard_as_unraisable("a handler of the logger 'staithe'");
        }
    }

    nb::callable receive_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::vector<LogLine> waiting_;
    bool ending_ = false;
    std::thread thread_;  // the last member: it uses the others
};

// Changed with the GIL held, never destroyed: a thread may just be adding a line.
std::atomic<LogLines*> log_lines = nullptr;

// Guarded by the GIL.
bool python_has_ended = false;
bool logging_came_first = false;  // so that it is shut down after this module, at the end of Python
nb::handle shut_down_logging;     // or else by this module, once all lines are there; kept for as long as that takes

bool queue_line(LogLevel level, const std::string& text) noexcept {
    LogLines* const lines = log_lines.load(std::memory_order_acquire);
    try {
        return lines != nullptr && lines->add(level, text);
    } catch (const std::exception&) {
        return false;
    }
}

void shut_down_logging_after_this() {
    nb::object shut_down = nb::module_::import_("logging").attr("shutdown");
    nb::module_::import_("atexit").attr("unregister")(shut_down);
    shut_down_logging = shut_down.release();
}

void log_to(nb::callable receive, int level) {
    if (python_has_ended) {
        return;  // a handler has opened a stream: nobody would end another thread
    }
    if (log_lines.load() == nullptr) {
        try {
            log_lines.store(new LogLines(std::move(receive)));  // NOLINT(cppcoreguidelines-owning-memory)
        } catch (const std::system_error&) {
            return;  // no thread left: standard error needs none
        }
        if (!logging_came_first && !shut_down_logging.is_valid()) {
            shut_down_logging_after_this();
        }
    }
    set_log_level(static_cast<LogLevel>(level));
    set_log_sink(queue_line);
}

void log_to_standard_error() {
    set_log_sink(nullptr);
    set_log_level(LogLevel::warn);
}

}  // namespace

void bind_log_lines(nb::module_& module) {
    module.def("log_to", &log_to, "receive"_a, "level"_a,
               nb::sig("def log_to(receive: collections.abc.Callable[[int, float, str], None], level: int) -> None"),
               "Have a function called with each log line: its level, from 0 for errors to 3, its time, and its text.");
    module.def("log_to_standard_error", &log_to_standard_error, "Have log lines printed, as at first.");

    logging_came_first = nb::dict(nb::module_::import_("sys").attr("modules")).contains("logging");
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
        python_has_ended = true;
        if (LogLines* const lines = log_lines.exchange(nullptr)) {
            set_log_sink(nullptr);
            lines->end();
        }
        if (shut_down_logging.is_valid()) {
            shut_down_logging();
        }
    }));
    nb::dict after_fork;
    after_fork["after_in_child"] = nb::cpp_function([] {
        log_lines.store(nullptr);
        log_to_standard_error();
    });
    nb::module_::import_("os").attr("register_at_fork")(**after_fork);
}

}  // namespace staithe::python
