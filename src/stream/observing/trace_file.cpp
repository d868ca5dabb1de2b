#include "stream/observing/trace_file.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "monitor/recorder.hpp"
#include "os/files.hpp"
#include "os/process.hpp"

namespace staithe::stream {
namespace {

using namespace std::chrono_literals;

constexpr auto between_writes = 100ms;
constexpr auto between_looks_at_spans = 10ms;
constexpr std::size_t most_bytes = std::size_t{256} << 20;  // of one process: more than a viewer can show

/// Letters, digits, '.', '_' and '-': a program may be called anything.
std::string file_name_of(const transport::Peer& self) {
    std::string name;
    for (const char c : self.program) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
                           c == '_' || c == '-';
        name.push_back(plain ? c : '_');
    }
    return fmt::format("{}.{}.json", name, self.pid);
}

void append_microseconds(std::string& text, std::int64_t nanoseconds) {
    fmt::format_to(std::back_inserter(text), "{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

/// Writes what the recorder holds. Never ends, like the recorder: the process may end while its thread writes.
class TraceFile {
  public:
    TraceFile(transport::Peer self, std::string path, os::FileDescriptor file)
        : self_(std::move(self)),
          path_(std::move(path)),
          file_(std::move(file)),
          recorder_(monitor::Recorder::start()) {
        text_ = fmt::format("[\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}}",
                            self_.pid, base::to_json(self_.program));
        write();
        thread_ = std::thread([this] { run(); });
    }

    [[nodiscard]] int pid() const { return self_.pid; }

    void end() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        thread_.join();
        take_spans();
        const std::int64_t lost = recorder_.lost() + dropped_;
        if (lost > 0) {
            base::log(base::LogLevel::warn, "{} spans came faster than {} took them, and are missing in it", lost,
                      path_);
        }
        fmt::format_to(std::back_inserter(text_),
                       ",\n{{\"ph\":\"M\",\"name\":\"lost_spans\",\"pid\":{},\"args\":{{\"count\":{}}}}}\n]\n",
                       self_.pid, lost);
        write();
    }

  private:
    void run() {
        std::unique_lock lock(mutex_);
        while (!ending_) {
            // Looks more often than it writes: a thread that records must not be slowed down to tell us.
            for (auto waited = 0ms; waited < between_writes && !recorder_.is_filling() && !ending_;
                 waited += between_looks_at_spans) {
                changed_.wait_for(lock, between_looks_at_spans);
            }
            take_spans();
            write();
        }
    }

    void take_spans() {
        recorder_.take([this](const monitor::SpanRecord& span, int thread) {
            if (written_ + text_.size() > most_bytes) {
                ++dropped_;
                return;
            }
            text_ += R"(,
{"ph":"X","name":")";
            text_ += span.name;
            text_ += R"(","ts":)";
            append_microseconds(text_, span.begin);
            text_ += R"(,"dur":)";
            append_microseconds(text_, span.duration);
            fmt::format_to(std::back_inserter(text_), R"(,"pid":{},"tid":{},"args":{{"stream":"{}","rank":{})",
                           self_.pid, thread, span.stream, span.rank);
            if (span.step >= 0) {
                fmt::format_to(std::back_inserter(text_), R"(,"step":{})", span.step);
            }
            if (span.bytes >= 0) {
                fmt::format_to(std::back_inserter(text_), R"(,"bytes":{})", span.bytes);
            }
            if (span.variable != nullptr) {
                fmt::format_to(
                    std::back_inserter(text_), R"(,"variable":{},"first":{},"codec":{},"coded":{},"at_work_us":)",
                    base::to_json(base::printable(span.variable)), span.first, base::to_json(span.codec), span.coded);
                append_microseconds(text_, span.at_work);
                text_ += R"(,"expected_us":)";
                append_microseconds(text_, span.expected);
            }
            text_ += "}}";
        });
    }

    void write() {
        if (text_.empty() || !file_) {
            return;
        }
        written_ += text_.size();
        if (auto appended = os::append(file_, text_); !appended) {
            base::log(base::LogLevel::warn, "the trace {} ends early: {}", path_, appended.error().message);
            file_ = os::FileDescriptor();
        }
        text_.clear();
    }

    const transport::Peer self_;
    const std::string path_;
    os::FileDescriptor file_;
    monitor::Recorder& recorder_;
    std::string text_;
    std::size_t written_ = 0;
    std::int64_t dropped_ = 0;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool ending_ = false;
    std::thread thread_;
};

TraceFile* trace = nullptr;  // of this process, or of its parent before a fork

void end_trace() {
    if (trace != nullptr && trace->pid() == os::process_id()) {
        trace->end();
    }
}

}  // namespace

void trace_if_asked(const transport::Peer& self) {
    static std::mutex mutex;
    const auto directory = base::environment("STAITHE_TRACE");
    if (!directory) {
        return;
    }
    const std::lock_guard lock(mutex);
    if (trace != nullptr && trace->pid() == self.pid) {
        return;
    }
    std::error_code ignored;  // a failure shows in making the file
    std::filesystem::create_directories(*directory, ignored);
    std::string path = fmt::format("{}/{}", *directory, file_name_of(self));
    auto file = os::create_file(path);
    if (!file) {
        static bool said = false;
        if (!std::exchange(said, true)) {
            base::log(base::LogLevel::warn, "no trace of this process: {}", file.error().message);
        }
        return;
    }
    if (trace == nullptr) {
        std::atexit(end_trace);
    }
    trace = new TraceFile(self, std::move(path), *std::move(file));
}

}  // namespace staithe::stream
