// Where spans are kept until somebody writes them down: a bounded buffer a thread.
//
// The recording thread stores 96 bytes and moves one index; it takes no lock and makes no system call. What it records
// while its buffer is full is lost, and counted. Buffers of threads that ended serve later ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace staithe::monitor {

/// What happened from when to when, on which step. Times are nanoseconds of the monotonic clock, which all processes
/// of a machine share. `step` and `bytes` are below 0 where there are none.
struct SpanRecord {
    const char* name;    // a literal
    const char* stream;  // kept by the recorder
    std::int64_t begin;
    std::int64_t duration;
    std::int64_t step;
    std::int64_t bytes;
    int rank;
    // Of encoding: what, how, and as was expected; nullptr of all else.
    const char* variable;
    std::int64_t first;  // byte of its block
    const char* codec;
    std::int64_t coded;     // bytes that it came to
    std::int64_t at_work;   // nanoseconds of processors, or of another device
    std::int64_t expected;  // nanoseconds that this was to take
};

/// Never ends: threads may record while the process does.
class Recorder {
  public:
    /// Starts over: tracers that are made from now on record into the recorder that this returns.
    static Recorder& start();
    /// nullptr: nobody traces.
    [[nodiscard]] static Recorder* current() noexcept;

    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// The same text, where it stays. Not for the hot path.
    const char* keep(const std::string& text);

    /// Called by any thread.
    void record(const SpanRecord& span);

    /// Hands over what was recorded, thread by thread in the order of the spans' ends, with the number of the thread.
    /// One caller at a time.
    void take(const std::function<void(const SpanRecord&, int thread)>& each);
    /// Some buffer is half full: it is time to take.
    [[nodiscard]] bool is_filling() const { return filling_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t lost() const;

    /// Spans that a thread's buffer holds.
    static constexpr std::uint64_t capacity = std::uint64_t{1} << 15;

  private:
    struct Buffer;
    friend struct ThreadsBuffer;

    Recorder() = default;
    ~Recorder() = default;
    Buffer& buffer_of_this_thread();
    Buffer& claim_buffer();

    Recorder* before_ = nullptr;  // so that no recorder is ever out of reach
    std::atomic<Buffer*> buffers_{nullptr};
    std::atomic<bool> filling_{false};
    std::mutex texts_mutex_;
    std::set<std::string> texts_;
};

}  // namespace staithe::monitor
