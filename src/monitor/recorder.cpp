#include "monitor/recorder.hpp"

#include <memory>

namespace staithe::monitor {

struct Recorder::Buffer {
    // Not touched before it is used: most threads record little.
    std::unique_ptr<SpanRecord[]> spans = std::make_unique_for_overwrite<SpanRecord[]>(capacity);
    std::atomic<std::uint64_t> recorded{0};
    std::atomic<std::uint64_t> taken{0};
    std::atomic<std::int64_t> lost{0};
    std::atomic<bool> owned{true};
    int thread = 1;
    Buffer* next = nullptr;  // older ones
};

namespace {

std::atomic<Recorder*> newest{nullptr};

// Without a destructor, so that what ends after the thread's other variables may still record.
thread_local const Recorder* recorder_of_thread = nullptr;
thread_local void* buffer_of_thread = nullptr;

}  // namespace

/// Gives the buffer back when its thread ends.
struct ThreadsBuffer {
    ~ThreadsBuffer() {
        recorder_of_thread = nullptr;
        if (auto* buffer = static_cast<Recorder::Buffer*>(buffer_of_thread)) {
            buffer->owned.store(false, std::memory_order_release);
        }
    }
};

Recorder& Recorder::start() {
    auto* recorder = new Recorder;  // never ends
    recorder->before_ = newest.load();
    newest.store(recorder);
    return *recorder;
}

Recorder* Recorder::current() noexcept { return newest.load(std::memory_order_relaxed); }

const char* Recorder::keep(const std::string& text) {
    const std::lock_guard lock(texts_mutex_);
    return texts_.insert(text).first->c_str();
}

Recorder::Buffer& Recorder::claim_buffer() {
    for (Buffer* buffer = buffers_.load(std::memory_order_acquire); buffer != nullptr; buffer = buffer->next) {
        bool owned = false;
        if (buffer->owned.compare_exchange_strong(owned, true, std::memory_order_acquire)) {
            return *buffer;
        }
    }
    auto* buffer = new Buffer;  // never ends
    buffer->next = buffers_.load(std::memory_order_acquire);
    do {
        buffer->thread = buffer->next == nullptr ? 1 : buffer->next->thread + 1;
    } while (!buffers_.compare_exchange_weak(buffer->next, buffer, std::memory_order_acq_rel));
    return *buffer;
}

Recorder::Buffer& Recorder::buffer_of_this_thread() {
    if (recorder_of_thread != this) {
        thread_local const ThreadsBuffer gives_back;
        static_cast<void>(gives_back);
        buffer_of_thread = &claim_buffer();
        recorder_of_thread = this;
    }
    return *static_cast<Buffer*>(buffer_of_thread);
}

void Recorder::record(const SpanRecord& span) {
    Buffer& buffer = buffer_of_this_thread();
    const std::uint64_t at = buffer.recorded.load(std::memory_order_relaxed);
    const std::uint64_t waiting = at - buffer.taken.load(std::memory_order_acquire);
    if (waiting >= capacity) {
        buffer.lost.store(buffer.lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return;
    }
    buffer.spans[at % capacity] = span;
    buffer.recorded.store(at + 1, std::memory_order_release);
    if (waiting == capacity / 2) {
        filling_.store(true, std::memory_order_relaxed);
    }
}

void Recorder::take(const std::function<void(const SpanRecord&, int thread)>& each) {
    filling_.store(false, std::memory_order_relaxed);
    for (Buffer* buffer = buffers_.load(std::memory_order_acquire); buffer != nullptr; buffer = buffer->next) {
        const std::uint64_t end = buffer->recorded.load(std::memory_order_acquire);
        for (std::uint64_t at = buffer->taken.load(std::memory_order_relaxed); at != end; ++at) {
            each(buffer->spans[at % capacity], buffer->thread);
            buffer->taken.store(at + 1, std::memory_order_release);
        }
    }
}

std::int64_t Recorder::lost() const {
    std::int64_t lost = 0;
    for (Buffer* buffer = buffers_.load(std::memory_order_acquire); buffer != nullptr; buffer = buffer->next) {
        lost += buffer->lost.load(std::memory_order_relaxed);
    }
    return lost;
}

}  // namespace staithe::monitor
