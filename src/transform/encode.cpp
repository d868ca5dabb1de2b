// Arrays into payloads: tiles, threads, checksums.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <utility>

#include <staithe/transform.hpp>

#include "transform/checksum.hpp"
#include "transform/coding.hpp"
#include "transform/parallel.hpp"
#include "transform/payload.hpp"
#include "transform/plan.hpp"
#include "transform/tiling.hpp"

namespace staithe::transform {
namespace {

/// Where a payload comes to lie.
class Destination {
  public:
    Destination() = default;
    Destination(const Destination&) = delete;
    Destination& operator=(const Destination&) = delete;
    virtual ~Destination() = default;
    /// `expected`: the bytes that there will be in all.
    virtual base::Result<> append(std::span<const std::byte> bytes, std::size_t expected) = 0;
    virtual std::span<std::byte> written() = 0;
};

/// Memory of its own, as much as the payload takes.
class Growing final : public Destination {
  public:
    base::Result<> append(std::span<const std::byte> bytes, std::size_t expected) override {
        const std::size_t size = payload_.size() + bytes.size();
        if (size > payload_.capacity()) {
            payload_.reserve(std::max(expected, expected > size ? size + payload_.size() / 2 : 0));
        }
        payload_.insert(payload_.end(), bytes.begin(), bytes.end());
        return {};
    }
    std::span<std::byte> written() override { return payload_; }
    std::vector<std::byte> finish() && {
        if (payload_.capacity() / 2 > payload_.size()) {
            payload_.shrink_to_fit();  // the first tiles were much larger than the others
        }
        return std::move(payload_);
    }

  private:
    std::vector<std::byte> payload_;
};

/// Memory of the caller's.
class Given final : public Destination {
  public:
    explicit Given(std::span<std::byte> memory) : memory_(memory) {}
    base::Result<> append(std::span<const std::byte> bytes, std::size_t /*expected*/) override {
        if (bytes.size() > memory_.size() - size_) {
            return base::fail(ErrorCode::limit_reached,
                              "the payload does not fit into {} bytes: give it as many as it may take (payload_bound)",
                              memory_.size());
        }
        std::copy(bytes.begin(), bytes.end(), memory_.subspan(size_).begin());
        size_ += bytes.size();
        return {};
    }
    std::span<std::byte> written() override { return memory_.first(size_); }

  private:
    std::span<std::byte> memory_;
    std::size_t size_ = 0;
};

/// The payload while it grows. Coded tiles follow each other in the order of their numbers, whoever is done first; each
/// is copied while it is in the cache, and its memory is used again. Safe from any thread.
class Assembly {
  public:
    /// Behind the header, which `out` has room for already.
    Assembly(PayloadHeader header, Destination& out)
        : header_(std::move(header)), waiting_(header_.tiles.size()), out_(out) {}

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
    base::Result<> put(std::size_t number, CodedTile tile, std::vector<std::byte> coded) {
        header_.tiles[number] = {0, coded.size(), checksum(coded), tile.method, 0};
        std::unique_lock lock(mutex_);
        waiting_[number] = std::move(coded);
        header_.bound = std::max(header_.bound, tile.bound);
        if (is_appending_) {
            return {};
        }
        is_appending_ = true;
        while (next_ < waiting_.size() && !waiting_[next_].empty()) {
            std::vector<std::byte> next = std::move(waiting_[next_]);
            lock.unlock();
            if (auto appended = append(next); !appended) {
                return appended;  // and nobody appends any more
            }
            lock.lock();
            spare_.push_back(std::move(next));
            ++next_;
        }
        is_appending_ = false;
        return {};
    }

    /// When all tiles were put.
    void finish() { write_header(header_, out_.written()); }

  private:
    base::Result<> append(std::span<const std::byte> tile) {
        const std::size_t offset = out_.written().size();
        header_.tiles[next_].offset = offset;
        const std::size_t bytes = offset + tile.size();
        // What all tiles will take if the others are like these, and an eighth.
        const std::size_t others = header_.tiles.size() - next_ - 1;
        const std::size_t alike = (bytes - header_bytes(header_)) / (next_ + 1) * others;
        return out_.append(tile, bytes + alike + alike / 8);
    }

    PayloadHeader header_;
    std::mutex mutex_;
    // Tiles until it is their turn: many, if one takes much longer than others. A coded tile is never empty.
    std::vector<std::vector<std::byte>> waiting_;
    std::vector<std::vector<std::byte>> spare_;
    std::size_t next_ = 0;  // to be appended
    bool is_appending_ = false;
    Destination& out_;  // of whoever is appending
};

base::Result<> encode_to(Destination& out, const ArrayView& array, const codecs::EncodeOptions& options) {
    const auto plan = plan_for(array, options);
    if (!plan) {
        return base::fail(plan);
    }
    std::vector<std::size_t> numbers(static_cast<std::size_t>(plan->tiles));
    std::iota(numbers.begin(), numbers.end(), 0);
    PayloadHeader header{options.codec, array.dtype, plan->bound,
                         array.shape,   plan->tile,  std::vector<TileEntry>(numbers.size())};
    const std::vector<std::byte> room(header_bytes(header));
    if (auto begun = out.append(room, room.size()); !begun) {
        return begun;
    }
    Assembly payload(std::move(header), out);
    auto done =
        for_each(numbers, options.threads, options.memory, [&](std::size_t number, Scratch& scratch) -> base::Result<> {
            std::vector<std::byte> coded = payload.take_buffer();
            const auto tile = encode_tile(*plan, static_cast<std::int64_t>(number), scratch, coded);
            if (!tile) {
                return base::fail(tile);
            }
            return payload.put(number, *tile, std::move(coded));
        });
    if (done) {
        payload.finish();
    }
    return done;
}

}  // namespace

base::Result<std::vector<std::byte>> encode(const ArrayView& array, const codecs::EncodeOptions& options) {
    return guarded([&]() -> base::Result<std::vector<std::byte>> {
        Growing payload;
        if (auto done = encode_to(payload, array, options); !done) {
            return base::fail(std::move(done));
        }
        return std::move(payload).finish();
    });
}

base::Result<std::size_t> encode_into(std::span<std::byte> out, const ArrayView& array,
                                      const codecs::EncodeOptions& options) {
    return guarded([&]() -> base::Result<std::size_t> {
        Given payload(out);
        if (auto done = encode_to(payload, array, options); !done) {
            return base::fail(std::move(done));
        }
        return payload.written().size();
    });
}

base::Result<std::size_t> payload_bound(const Extents& shape, Dtype dtype) {
    const auto raw = size_in_bytes(shape, dtype);
    if (!raw) {
        return base::fail(ErrorCode::invalid_argument, "an array of shape {} cannot be", to_string(shape));
    }
    const auto tiles = volume(tile_counts(shape, tile_shape(shape))).value_or(0);
    // A tile that is not made smaller is stored as it is.
    return header_bytes(shape.size(), static_cast<std::size_t>(tiles)) + static_cast<std::size_t>(*raw);
}

}  // namespace staithe::transform

namespace staithe::codecs {

std::vector<std::byte> encode(const ArrayView& array, const EncodeOptions& options) {
    return base::value_or_raise(transform::encode(array, options));
}

std::size_t encode_into(std::span<std::byte> out, const ArrayView& array, const EncodeOptions& options) {
    return base::value_or_raise(transform::encode_into(out, array, options));
}

std::size_t payload_bound(const Extents& shape, Dtype dtype) {
    return base::value_or_raise(transform::payload_bound(shape, dtype));
}

}  // namespace staithe::codecs
