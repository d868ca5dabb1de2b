#include "transform/helpers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "os/fork.hpp"
#include "os/process.hpp"

namespace staithe::transform {
namespace {

/// Whether this thread takes a core for work on arrays already: what it works on may have parts that are cut again.
thread_local bool is_at_work = false;

/// What helpers have worked for this thread, in all.
thread_local double helped_seconds = 0.0;

class Helpers {
  public:
    static Helpers& of_this_process() {
        static os::OnePerProcess<Helpers> helpers;
        return helpers.get();
    }

    void work_together(std::size_t helpers, const Help& work) {
        Job job{&work, helpers};
        std::unique_lock lock(mutex_);
        const bool is_inner = std::exchange(is_at_work, true);
        at_work_ += is_inner ? 0 : 1;
        const auto listed = jobs_.insert(jobs_.end(), &job);
        for (std::size_t idle = asleep_.size(); idle < std::min(helpers, free_cores()) && start(); ++idle) {
        }
        wake_elsewhere();
        lock.unlock();
        wanted_.notify_all();
        work([] { return true; });
        lock.lock();
        jobs_.erase(listed);
        // It ends: who is inside finds no part left.
        left_.wait(lock, [&] { return job.inside == 0; });
        helped_seconds += job.helped_seconds;
        is_at_work = is_inner;
        if (!is_inner) {
            leave_core();
        }
    }

    std::size_t threads() {
        const std::lock_guard lock(mutex_);
        return threads_;
    }

  private:
    struct Job {
        const Help* work = nullptr;
        std::size_t places = 0;  // for helpers
        std::size_t inside = 0;
        double helped_seconds = 0.0;  // by those who were
    };

    struct Sleeper {
        int thread;
        int core;
    };

    [[nodiscard]] std::size_t free_cores() const { return cores_ - std::min(cores_, at_work_.load()); }
    [[nodiscard]] bool is_crowded() const { return at_work_.load(std::memory_order_relaxed) > cores_; }

    void leave_core() {
        --at_work_;
        if (!jobs_.empty()) {
            wanted_.notify_one();
        }
    }

    bool start() {
        if (threads_ + 1 >= cores_) {
            return false;
        }
        try {
            std::thread([this] { run(); }).detach();  // this is never destroyed
        } catch (const std::system_error& error) {
            base::log(base::LogLevel::debug, "no thread more than {} helps to code arrays: {}", threads_, error.what());
            return false;
        }
        ++threads_;
        return true;
    }

    Job* next() {
        const auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->places > 0; });
        return found == jobs_.end() || free_cores() == 0 ? nullptr : *found;
    }

    // Who fell asleep on this thread's core may be woken there, and get in its way while other cores are idle.
    void wake_elsewhere() {
        const int core = os::current_core();
        for (Sleeper& sleeper : asleep_) {
            if (sleeper.core == core) {
                os::keep_off_core(sleeper.thread, core);
                sleeper.core = -1;
            }
        }
    }

    void run() {
        constexpr std::chrono::seconds patience{5};
        std::unique_lock lock(mutex_);
        for (;;) {
            const auto sleeper = asleep_.insert(asleep_.end(), {os::thread_id(), os::current_core()});
            const bool came = wanted_.wait_for(lock, patience, [this] { return next() != nullptr; });
            asleep_.erase(sleeper);
            if (!came) {
                --threads_;
                return;
            }
            help(*next(), lock);
        }
    }

    void help(Job& job, std::unique_lock<std::mutex>& lock) {
        --job.places;
        ++job.inside;
        ++at_work_;
        is_at_work = true;
        lock.unlock();
        const double before = work_seconds();
        const bool done = (*job.work)([this] { return !is_crowded(); });
        const double helped = work_seconds() - before;
        lock.lock();
        job.helped_seconds += helped;
        job.places = done ? 0 : job.places + 1;
        if (--job.inside == 0) {
            left_.notify_all();
        }
        is_at_work = false;
        leave_core();
    }

    const std::size_t cores_ = static_cast<std::size_t>(os::usable_cores());
    std::mutex mutex_;
    std::condition_variable wanted_, left_;
    std::list<Job*> jobs_;
    std::atomic<std::size_t> at_work_{0};  // helpers and those they help
    std::size_t threads_ = 0;
    std::list<Sleeper> asleep_;
};

}  // namespace

void work_together(std::size_t helpers, const Help& work) { Helpers::of_this_process().work_together(helpers, work); }

double work_seconds() { return os::thread_processor_seconds() + helped_seconds; }

std::size_t helper_threads() { return Helpers::of_this_process().threads(); }

}  // namespace staithe::transform
