// What outlives the process that keeps it: records, each a description and bytes, in files of a folder that belongs to
// the log alone.
//
// A thread of the log's own writes them in the order in which they are handed over. Those that come while the disk is
// busy gather, and are written together: one wait for all. A record that nobody wants any more is killed by another
// one that names it, and a file none of whose records live goes. docs/formats/space_log.md describes the bytes.
// Thread-safe, but for `replay`, which comes first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "store/log/log_folder.hpp"

namespace staithe::store::log {

class RecordLog {
  public:
    /// Called once, in the log's thread, which waits for it. With a failure what was handed over is not on disk. May be
    /// empty.
    using Done = std::function<void(const base::Result<>&)>;

    explicit RecordLog(LogFolder folder) : folder_(std::move(folder)), last_place_(folder_.last_place()) {}
    /// Writes what was handed over.
    ~RecordLog();
    RecordLog(const RecordLog&) = delete;
    RecordLog& operator=(const RecordLog&) = delete;

    /// See `LogFolder`.
    base::Result<> replay(base::FunctionRef<base::Result<>(const Replayed&)> visit) { return folder_.replay(visit); }
    base::Result<> start();

    /// The bytes stay as they are until `done` is called. Returns the record's place.
    std::uint64_t append(std::uint64_t key, std::vector<std::byte> description, std::span<const std::byte> bytes,
                         Done done);
    /// Those at these places, which were appended before, are wanted no more.
    void kill(std::vector<std::uint64_t> places, Done done);

    /// That the folder has.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    void add(Entry entry, Done done);
    void run();

    LogFolder folder_;  // the thread's, once it runs
    std::atomic<std::int64_t> bytes_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Entry> entries_;  // and of each what is done then:
    std::vector<Done> dones_;
    std::uint64_t last_place_;
    bool is_ending_ = false;
    std::thread thread_;
};

}  // namespace staithe::store::log
