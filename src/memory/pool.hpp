// A pool: shared memory of one producer, out of which blocks are allocated.
//
// The pool is one memory file. It grows by extents (each one mapping, pre-faulted when it is made) and hands
// the same warm ranges out again, since touching fresh shared memory costs ten times as much as copying into
// it. Readers map the file read-only and may follow its growth by its size: extents are only ever appended.
// Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/budget.hpp"
#include "base/result.hpp"
#include "memory/free_list.hpp"
#include "os/fork.hpp"
#include "os/shared_memory.hpp"

namespace staithe::memory {

/// Allocated bytes: `offset` says where they lie in the pool's file, `data` where this process sees them.
struct Allocation {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::byte* data = nullptr;
};

class Pool {
  public:
    /// Shared, since blocks may outlive their stream. A forked child does not end it.
    static base::Result<std::shared_ptr<Pool>> create(const std::string& name);
    /// A pool whose file lies on the disk of `directory`, for blocks that memory has no room for. It claims no memory.
    static base::Result<std::shared_ptr<Pool>> create_on_disk(const std::string& directory);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// Memory of at least `bytes`, aligned to 64 bytes (to a page when it is large). `limit_reached` if neither the
    /// system nor the budget of this process has so much left, what all its pools keep for reuse included.
    base::Result<Allocation> allocate(std::int64_t bytes);
    void free(const Allocation& allocation);

    /// Has `count` ranges of `bytes` made and pre-faulted in the background.
    void prepare(std::int64_t bytes, int count);

    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }
    /// Gives extents that are wholly free back to the system: together at least `length` bytes, if there are as many.
    void give_back(std::int64_t length);

    /// Memory that the pool holds from the system, used or free.
    [[nodiscard]] std::int64_t capacity() const;

    /// Smaller allocations share extents and are recycled by exact size.
    static constexpr std::int64_t small_limit = 64 << 10;

  private:
    enum class Place { memory, disk };
    Pool(std::string name, os::FileDescriptor file, Place place);

    struct Extent {
        Range range;
        os::Mapping mapping;
        base::Claim claim;
    };

    enum class Need { now, later };

    base::Result<Extent> make_extent(std::unique_lock<std::mutex>& lock, std::int64_t length, Need need = Need::now);
    base::Result<> grow_small(std::unique_lock<std::mutex>& lock);
    base::Result<Range> take_small(std::unique_lock<std::mutex>& lock, std::int64_t length);
    base::Result<Range> take_large(std::unique_lock<std::mutex>& lock, std::int64_t length);
    [[nodiscard]] Allocation allocation_of(Range range, std::int64_t bytes) const;
    void add(Extent extent, FreeList& list);
    base::Result<base::Claim> claim(std::int64_t length, Need need) const;
    void drop_free_extents(std::int64_t length);
    void run_preparer();

    const os::Home home_;
    const std::string name_;  // for messages
    const os::FileDescriptor file_;
    const Place place_;
    mutable std::mutex mutex_;
    std::condition_variable prepared_;
    std::map<std::int64_t, Extent> extents_;  // by offset
    std::int64_t file_end_ = 0;
    std::int64_t capacity_ = 0;
    std::int64_t small_capacity_ = 0;  // of the extents that small blocks share; each new one doubles it
    bool sizes_vary_ = false;
    FreeList small_, large_;
    std::vector<std::vector<std::int64_t>> bins_;  // small offsets ready for reuse, by length / 64

    std::deque<std::int64_t> wanted_;  // lengths that the preparer has yet to make
    std::int64_t in_preparation_ = 0;  // the length that it makes now; 0: none
    bool stopping_ = false;
    std::thread preparer_;
};

}  // namespace staithe::memory
