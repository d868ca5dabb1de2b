// A pool: shared memory of one producer, out of which blocks are allocated.
//
// The pool grows by extents of its source, and hands the same warm ranges out again, since touching fresh shared memory
// costs ten times as much as copying into it. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "memory/extent_source.hpp"
#include "memory/free_list.hpp"
#include "os/fork.hpp"

namespace staithe::memory {

/// Allocated bytes: `offset` says where readers find them, `data` where this process sees them.
struct Allocation {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::byte* data = nullptr;
};

class Pool {
  public:
    /// Shared, since blocks may outlive their stream. A forked child does not end it. `name` is for messages.
    static std::shared_ptr<Pool> create(std::string name, std::unique_ptr<ExtentSource> source);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// Memory of at least `bytes`, aligned to 64 bytes (to a page when it is large). `limit_reached` if neither the
    /// system nor the budget of this process has so much left, what all its pools keep for reuse included.
    base::Result<Allocation> allocate(std::int64_t bytes);
    /// The same without making any: nothing if no memory that is there already has room.
    std::optional<Allocation> allocate_free(std::int64_t bytes);
    void free(const Allocation& allocation);

    /// Keeps what `make` gives for the extent in which the allocation lies, such as its registration with a device,
    /// until just before that goes back to the system. It is made once per extent, with the pool's lock held.
    void attach(const Allocation& allocation,
                base::FunctionRef<std::shared_ptr<void>(std::span<std::byte> extent)> make);

    /// Has memory for the first small blocks made now: it is there when they come, even if the budget is used up by
    /// then, and they do not wait for the source while the preparer makes large ranges of it.
    base::Result<> reserve_small();

    /// Has `count` ranges of `bytes` made and pre-faulted in the background.
    void prepare(std::int64_t bytes, int count);

    /// Of its source.
    [[nodiscard]] const os::FileDescriptor& file() const { return source_->file(); }
    /// Gives extents that are wholly free back to the system: together at least `length` bytes, if there are as many.
    /// What was reserved for small blocks stays. Returns how much that was.
    std::int64_t give_back(std::int64_t length);
    /// The same for all pools of this process, until its budget has room for so much.
    static void give_back_of_all(std::int64_t length);
    /// All that small blocks have shared, as far as it is free, and nothing else.
    void give_back_small();

    /// Another process bounds what it has, which others have of, too.
    [[nodiscard]] bool is_lent() const { return source_->is_lent(); }
    /// Memory that the pool holds from the system, used or free.
    [[nodiscard]] std::int64_t capacity() const;

    /// Smaller allocations share extents and are recycled by exact size.
    static constexpr std::int64_t small_limit = 64 << 10;

  private:
    Pool(std::string name, std::unique_ptr<ExtentSource> source);

    enum class Need { now, later };

    base::Result<Extent> make_extent(std::unique_lock<std::mutex>& lock, std::int64_t length, Need need = Need::now);
    /// Returns where.
    base::Result<std::int64_t> grow_small(std::unique_lock<std::mutex>& lock, std::int64_t needed);
    std::optional<Range> take_free_small(std::int64_t length);
    base::Result<Range> take_small(std::unique_lock<std::mutex>& lock, std::int64_t length);
    base::Result<Range> take_large(std::unique_lock<std::mutex>& lock, std::int64_t length);
    [[nodiscard]] const Extent& extent_at(std::int64_t offset) const;
    [[nodiscard]] Allocation allocation_of(Range range, std::int64_t bytes) const;
    void add(const Extent& extent, FreeList& list);
    void merge_bins();
    void drop_small(std::int64_t length);
    std::int64_t drop_free_extents(FreeList& list, std::int64_t length);
    void run_preparer();

    const os::Home home_;
    const std::string name_;  // for messages
    const std::unique_ptr<ExtentSource> source_;
    mutable std::mutex mutex_;
    std::condition_variable prepared_;
    std::map<std::int64_t, Extent> extents_;                  // by offset
    std::map<std::int64_t, std::shared_ptr<void>> attached_;  // to extents, by offset
    std::int64_t capacity_ = 0;
    std::int64_t small_capacity_ = 0;      // of the extents that small blocks share; each new one doubles it
    std::optional<std::int64_t> reserve_;  // the extent that small blocks find there, come what may
    bool sizes_vary_ = false;
    FreeList small_, large_;
    std::vector<std::vector<std::int64_t>> bins_;  // small offsets ready for reuse, by length / 64

    std::deque<std::int64_t> wanted_;  // lengths that the preparer has yet to make
    std::int64_t in_preparation_ = 0;  // the length that it makes now; 0: none
    bool stopping_ = false;
    std::thread preparer_;
};

}  // namespace staithe::memory
