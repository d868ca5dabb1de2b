#include "memory/pool.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "base/budget.hpp"
#include "base/config.hpp"
#include "base/deadline.hpp"
#include "base/log.hpp"
#include "base/rounding.hpp"
#include "os/shared_memory.hpp"

namespace staithe::memory {
namespace {

constexpr std::int64_t alignment = 64;  // a cache line: neighbours never share one
constexpr std::int64_t smallest_shared_extent = 128 << 10;
constexpr std::int64_t largest_shared_extent = 16 << 20;

std::int64_t rounded(std::int64_t bytes) {
    const std::int64_t lines = std::max(base::round_up(bytes, alignment), alignment);
    return lines <= Pool::small_limit ? lines : base::round_up(bytes, static_cast<std::int64_t>(os::page_size()));
}

// Far more than memory takes.
base::Deadline time_to_make(std::int64_t length) {
    constexpr double slowest = 256e6;  // bytes a second
    return base::Deadline(base::Seconds(1.0 + static_cast<double>(length) / slowest));
}

// All pools of this process share its budget, and what one keeps for reuse another may need. Locked before a pool is.
class AllPools {
  public:
    static AllPools& of_this_process() {
        static os::OnePerProcess<AllPools> pools;
        return pools.get();
    }
    void add(Pool* pool) {
        const std::lock_guard lock(mutex_);
        pools_.insert(pool);
    }
    void remove(Pool* pool) {
        const std::lock_guard lock(mutex_);
        pools_.erase(pool);
    }
    void give_back(std::int64_t length) {
        const std::lock_guard lock(mutex_);
        for (Pool* pool : pools_) {
            if (!base::has_room(base::Resource::memory, length)) {
                pool->give_back(length);
            }
        }
    }

  private:
    std::mutex mutex_;
    std::set<Pool*> pools_;
};

}  // namespace

Pool::Pool(std::string name, std::unique_ptr<ExtentSource> source)
    : name_(std::move(name)), source_(std::move(source)) {
    AllPools::of_this_process().add(this);
}

std::shared_ptr<Pool> Pool::create(std::string name, std::unique_ptr<ExtentSource> source) {
    return os::kept_at_home(new Pool(std::move(name), std::move(source)));
}

Pool::~Pool() {
    AllPools::of_this_process().remove(this);
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    prepared_.notify_all();
    if (preparer_.joinable()) {
        preparer_.join();
    }
}

base::Result<Allocation> Pool::allocate(std::int64_t bytes) {
    if (bytes < 0 || bytes > (std::int64_t{1} << 62)) {
        return base::fail(ErrorCode::invalid_argument, "a block of {} bytes cannot be", bytes);
    }
    const std::int64_t length = rounded(bytes);
    std::unique_lock lock(mutex_);
    auto range = length <= small_limit ? take_small(lock, length) : take_large(lock, length);
    if (!range) {
        return base::fail(std::move(range));
    }
    return allocation_of(*range, bytes);
}

std::optional<Allocation> Pool::allocate_free(std::int64_t bytes) {
    const std::int64_t length = rounded(bytes);
    const std::lock_guard lock(mutex_);
    const auto range = length <= small_limit ? take_free_small(length) : large_.take(length);
    return range ? std::optional(allocation_of(*range, bytes)) : std::nullopt;
}

void Pool::free(const Allocation& allocation) {
    if (!home_.here()) {
        return;  // a forked child's copy: the memory is the parent's
    }
    const std::int64_t length = rounded(allocation.bytes);
    const std::lock_guard lock(mutex_);
    if (length <= small_limit) {
        bins_.at(static_cast<std::size_t>(length / alignment)).push_back(allocation.offset);
    } else {
        large_.give_back({allocation.offset, length});
    }
}

void Pool::attach(const Allocation& allocation,
                  base::FunctionRef<std::shared_ptr<void>(std::span<std::byte> extent)> make) {
    const std::lock_guard lock(mutex_);
    const Extent& extent = extent_at(allocation.offset);
    if (auto& kept = attached_[extent.offset]; !kept) {
        kept = make(extent.memory);
    }
}

base::Result<> Pool::reserve_small() {
    std::unique_lock lock(mutex_);
    if (reserve_) {
        return {};
    }
    const auto grown = grow_small(lock, small_limit);
    if (!grown) {
        return base::fail(grown);
    }
    reserve_ = *grown;
    return {};
}

void Pool::give_back_of_all(std::int64_t length) { AllPools::of_this_process().give_back(length); }

void Pool::prepare(std::int64_t bytes, int count) {
    const std::int64_t length = rounded(bytes);
    const std::lock_guard lock(mutex_);
    wanted_.insert(wanted_.end(), static_cast<std::size_t>(std::max(count, 0)), length);
    if (!preparer_.joinable() && !wanted_.empty()) {
        try {
            preparer_ = std::thread([this] { run_preparer(); });
        } catch (const std::system_error&) {
            wanted_.clear();  // no room for a thread: blocks are made when they are asked for
        }
    }
    prepared_.notify_all();
}

std::int64_t Pool::give_back(std::int64_t length) {
    const std::lock_guard lock(mutex_);
    const std::int64_t before = capacity_;
    length -= drop_free_extents(large_, length);
    if (length > 0) {
        drop_small(length);
    }
    return before - capacity_;
}

void Pool::give_back_small() {
    const std::lock_guard lock(mutex_);
    drop_small(capacity_);
}

void Pool::drop_small(std::int64_t length) {
    merge_bins();
    small_capacity_ = std::max<std::int64_t>(0, small_capacity_ - drop_free_extents(small_, length));
}

std::int64_t Pool::capacity() const {
    const std::lock_guard lock(mutex_);
    return capacity_;
}

const Extent& Pool::extent_at(std::int64_t offset) const { return std::prev(extents_.upper_bound(offset))->second; }

Allocation Pool::allocation_of(Range range, std::int64_t bytes) const {
    const Extent& extent = extent_at(range.offset);
    return {range.offset, bytes, extent.memory.data() + (range.offset - extent.offset)};
}

std::optional<Range> Pool::take_free_small(std::int64_t length) {
    if (bins_.empty()) {
        bins_.resize(static_cast<std::size_t>(small_limit / alignment) + 1);
    }
    auto& bin = bins_.at(static_cast<std::size_t>(length / alignment));
    if (!bin.empty()) {
        const std::int64_t offset = bin.back();
        bin.pop_back();
        return Range{offset, length};
    }
    if (const auto range = small_.take(length)) {
        return range;
    }
    // Other sizes lie idle in the bins when the sizes of a stream change: let them merge before growing.
    merge_bins();
    return small_.take(length);
}

base::Result<Range> Pool::take_small(std::unique_lock<std::mutex>& lock, std::int64_t length) {
    if (auto range = take_free_small(length)) {
        return *range;
    }
    if (auto grown = grow_small(lock, length); !grown) {
        return base::fail(std::move(grown));
    }
    return *small_.take(length);
}

void Pool::merge_bins() {
    for (std::size_t lines = 0; lines < bins_.size(); ++lines) {
        for (const std::int64_t offset : bins_[lines]) {
            small_.give_back({offset, static_cast<std::int64_t>(lines) * alignment});
        }
        bins_[lines].clear();
    }
}

base::Result<std::int64_t> Pool::grow_small(std::unique_lock<std::mutex>& lock, std::int64_t needed) {
    std::int64_t length = std::clamp(small_capacity_, smallest_shared_extent, largest_shared_extent);
    auto extent = make_extent(lock, length);
    // Near the limit there is no room for what doubles the pool, but there may be for the block.
    while (!extent && extent.error().code == ErrorCode::limit_reached && length > needed) {
        length = std::max(length / 2, needed);
        extent = make_extent(lock, length);
    }
    if (!extent) {
        return base::fail(std::move(extent));
    }
    small_capacity_ += static_cast<std::int64_t>(extent->memory.size());
    add(*extent, small_);
    return extent->offset;
}

base::Result<Range> Pool::take_large(std::unique_lock<std::mutex>& lock, std::int64_t length) {
    if (auto range = large_.take(length)) {
        return *range;
    }
    // What the preparer makes right now will be here sooner than what this thread would begin to make; unless the
    // source keeps it waiting.
    if (in_preparation_ >= length) {
        const base::Deadline enough = time_to_make(in_preparation_);
        while (in_preparation_ >= length && !enough.passed()) {
            prepared_.wait_until(lock, enough.at());
            if (auto range = large_.take(length)) {
                return *range;
            }
        }
    }
    // Taking over a range that the preparer has not begun: else the pool would end with one too many.
    if (const auto job = std::find(wanted_.begin(), wanted_.end(), length); job != wanted_.end()) {
        wanted_.erase(job);
    }
    std::int64_t extent_length = length;
    if (large_.free_bytes() >= length) {
        // Enough is free but nothing fits: the sizes of this stream change. Trade old extents for one with
        // some room, so that slowly growing blocks do not need a new one each step.
        drop_free_extents(large_, length);
        sizes_vary_ = true;
    }
    if (sizes_vary_) {
        extent_length = base::round_up(length + length / 8, static_cast<std::int64_t>(os::page_size()));
    }
    auto extent = make_extent(lock, extent_length);
    if (!extent) {
        return base::fail(std::move(extent));
    }
    // Taken at once: between adding an extent and taking from it the lock must not be open.
    add(*extent, large_);
    return *large_.take(length);
}

base::Result<Extent> Pool::make_extent(std::unique_lock<std::mutex>& lock, std::int64_t length, Need need) {
    length = base::round_up(length, static_cast<std::int64_t>(os::page_size()));
    lock.unlock();
    auto extent = source_->make(length);
    if (!extent && need == Need::now && !base::has_room(base::Resource::memory, length)) {
        AllPools::of_this_process().give_back(length);
        extent = source_->make(length);
    } else if (!extent && need == Need::now && extent.error().code == ErrorCode::limit_reached && source_->is_lent() &&
               give_back(length) > 0) {
        extent = source_->make(length);
    }
    lock.lock();
    if (!extent) {
        return extent;
    }
    capacity_ += length;  // not before: others take what it counts for what it has
    base::log(base::LogLevel::debug, "the pool {} has grown by {} to {}", name_, base::format_bytes(length),
              base::format_bytes(capacity_));
    return extent;
}

void Pool::add(const Extent& extent, FreeList& list) {
    list.add_extent({extent.offset, static_cast<std::int64_t>(extent.memory.size())});
    extents_.emplace(extent.offset, extent);
}

/// Returns how much that was.
std::int64_t Pool::drop_free_extents(FreeList& list, std::int64_t length) {
    std::int64_t dropped = 0;
    for (const Range& range : list.remove_free_extents(length, reserve_)) {
        attached_.erase(range.offset);
        source_->give_back(extents_.at(range.offset));
        extents_.erase(range.offset);
        capacity_ -= range.length;
        dropped += range.length;
    }
    return dropped;
}

void Pool::run_preparer() {
    std::unique_lock lock(mutex_);
    for (;;) {
        prepared_.wait(lock, [this] { return stopping_ || !wanted_.empty(); });
        if (stopping_) {
            return;
        }
        in_preparation_ = wanted_.front();
        wanted_.pop_front();
        // Without memory the writer itself will get the error, when it asks for this block.
        if (auto extent = make_extent(lock, in_preparation_, Need::later)) {
            FreeList& list = in_preparation_ <= small_limit ? small_ : large_;
            add(*extent, list);
        }
        in_preparation_ = 0;
        prepared_.notify_all();
    }
}

}  // namespace staithe::memory
