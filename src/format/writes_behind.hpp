// Large writes of a recording, which go on while its writer puts the next ones together: a disk that waits for the
// next write is one that could have written.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "os/direct_writes.hpp"

namespace staithe::format {

class WritesBehind {
  public:
    /// What it writes it keeps, until it goes.
    using Write = std::function<base::Result<>(os::DirectWrites& writes)>;

    WritesBehind() = default;
    ~WritesBehind();
    WritesBehind(const WritesBehind&) = delete;
    WritesBehind& operator=(const WritesBehind&) = delete;

    /// Of the step that is being written, by a thread of its own, or by this one where there is none to be had. Waits
    /// while others are enough.
    void begin(Write write);
    /// What is begun from now on is of the next step. Those of the step before this one are done when it returns, and
    /// fails if one of them has: then this step is still the one that is being written.
    base::Result<> next_step();
    /// Nothing is written any more of the step that was being written; how that went is forgotten.
    void abandon_step();
    /// All steps are written; how that went is told once.
    base::Result<> finish();
    /// The same, and it is told later.
    void await_all();

  private:
    /// The writes of one step.
    struct Step {
        int unfinished = 0;
        base::Result<> outcome{};
    };
    struct Waiting {
        Step* step = nullptr;
        Write write;
    };
    [[nodiscard]] bool start_thread();
    void run();
    void await(std::unique_lock<std::mutex>& lock, const Step& step);
    void await_all(std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    std::unique_ptr<Step> before_ = std::make_unique<Step>();
    std::unique_ptr<Step> now_ = std::make_unique<Step>();
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace staithe::format
