// Arrays into payloads: tiles, threads, checksums.
#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include <staithe/transform.hpp>

#include "transform/checksum.hpp"
#include "transform/parallel.hpp"
#include "transform/payload.hpp"
#include "transform/plan.hpp"

namespace staithe::transform {
namespace {

/// The payload while it grows. Coded tiles follow each other in the order of their numbers, whoever is done first; each
/// is copied while it is in the cache, and its memory is used again. Safe from any thread.
class Assembly {
  public:
    explicit Assembly(PayloadHeader header)
        : header_(std::move(header)), waiting_(header_.tiles.size()), payload_(header_bytes(header_)) {}

    /// Empty, with memory of tiles before.
    std::vector<std::byte> take_buffer() {
        const std::lock_guard lock(mutex_);
        if (spare_.empty()) {
            return {};
        }
        std::vector<std::byte> buffer = std::move(spare_.back());
        spare_.pop_back();
        buffer.clear();
        return buffer;
    }

    /// Whoever is appending appends this tile, too, once it is its turn.
    void put(std::size_t number, CodedTile tile, std::vector<std::byte> coded) {
        header_.tiles[number] = {0, coded.size(), checksum(coded), tile.method, 0};
        std::unique_lock lock(mutex_);
        waiting_[number] = std::move(coded);
        header_.bound = std::max(header_.bound, tile.bound);
        if (is_appending_) {
            return;
        }
        is_appending_ = true;
        while (next_ < waiting_.size() && !waiting_[next_].empty()) {
            std::vector<std::byte> next = std::move(waiting_[next_]);
            lock.unlock();
            append(next);
            lock.lock();
            spare_.push_back(std::move(next));
            ++next_;
        }
        is_appending_ = false;
    }

    /// When all tiles were put.
    std::vector<std::byte> finish() && {
        write_header(header_, payload_);
        if (payload_.capacity() / 2 > payload_.size()) {
            payload_.shrink_to_fit();  // the first tiles were much larger than the others
        }
        return std::move(payload_);
    }

  private:
    void append(const std::vector<std::byte>& tile) {
        header_.tiles[next_].offset = payload_.size();
        const std::size_t bytes = payload_.size() + tile.size();
        if (bytes > payload_.capacity()) {
            // What all tiles will take if the others are like these, and an eighth.
            const std::size_t others = header_.tiles.size() - next_ - 1;
            const std::size_t expected = (bytes - header_bytes(header_)) / (next_ + 1) * others;
            payload_.reserve(bytes + std::max(expected + expected / 8, others > 0 ? payload_.size() / 2 : 0));
        }
        payload_.insert(payload_.end(), tile.begin(), tile.end());
    }

    PayloadHeader header_;
    std::mutex mutex_;
    // Tiles until it is their turn: many, if one takes much longer than others. A coded tile is never empty.
    std::vector<std::vector<std::byte>> waiting_;
    std::vector<std::vector<std::byte>> spare_;
    std::size_t next_ = 0;  // to be appended
    bool is_appending_ = false;
    std::vector<std::byte> payload_;  // of whoever is appending
};

base::Result<std::vector<std::byte>> encode(const ArrayView& array, const codecs::EncodeOptions& options) {
    const auto plan = plan_for(array, options);
    if (!plan) {
        return base::fail(plan);
    }
    std::vector<std::size_t> numbers(static_cast<std::size_t>(plan->tiles));
    std::iota(numbers.begin(), numbers.end(), 0);
    Assembly payload(
        {options.codec, array.dtype, plan->bound, array.shape, plan->tile, std::vector<TileEntry>(numbers.size())});
    auto done =
        for_each(numbers, options.threads, options.memory, [&](std::size_t number, Scratch& scratch) -> base::Result<> {
            std::vector<std::byte> coded = payload.take_buffer();
            const auto tile = encode_tile(*plan, static_cast<std::int64_t>(number), scratch, coded);
            if (!tile) {
                return base::fail(tile);
            }
            payload.put(number, *tile, std::move(coded));
            return {};
        });
    if (!done) {
        return base::fail(std::move(done));
    }
    return std::move(payload).finish();
}

}  // namespace
}  // namespace staithe::transform

namespace staithe::codecs {

std::vector<std::byte> encode(const ArrayView& array, const EncodeOptions& options) {
    return base::value_or_raise(transform::guarded([&] { return transform::encode(array, options); }));
}

}  // namespace staithe::codecs
