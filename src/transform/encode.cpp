// Arrays into payloads: tiles, threads, checksums.
#include <algorithm>
#include <cstring>
#include <utility>

#include <staithe/transform.hpp>

#include "transform/checksum.hpp"
#include "transform/coding.hpp"
#include "transform/in_order.hpp"
#include "transform/kept_memory.hpp"
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
            move_to(bytes_with_room(std::max({size, expected, expected > size ? size + payload_.size() / 2 : 0})));
        }
        payload_.insert(payload_.end(), bytes.begin(), bytes.end());
        return {};
    }
    std::span<std::byte> written() override { return payload_; }
    std::vector<std::byte> finish() && {
        if (payload_.capacity() / 2 > payload_.size()) {
            move_to(bytes_with_room(payload_.size()));  // the first tiles were much larger than the others
        }
        return std::move(payload_);
    }

  private:
    void move_to(std::vector<std::byte> other) {
        other.assign(payload_.begin(), payload_.end());
        give_back(std::exchange(payload_, std::move(other)));
    }

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

struct Coded {
    CodedTile tile;
    std::vector<std::byte> bytes;
    std::uint64_t checksum = 0;
};

/// The payload while it grows: tiles one after the other. Each is copied while it is in the cache.
class Assembly {
  public:
    /// Behind the header, which `out` has room for already.
    Assembly(PayloadHeader header, Destination& out) : header_(std::move(header)), out_(out) {}

    base::Result<> append(std::size_t number, const Coded& coded) {
        const std::size_t offset = out_.written().size();
        header_.tiles[number] = {offset, coded.bytes.size(), coded.checksum, coded.tile.method, 0};
        header_.bound = std::max(header_.bound, coded.tile.bound);
        const std::size_t bytes = offset + coded.bytes.size();
        // What all tiles will take if the others are like these, and an eighth.
        const std::size_t others = header_.tiles.size() - number - 1;
        const std::size_t alike = (bytes - header_bytes(header_)) / (number + 1) * others;
        return out_.append(coded.bytes, bytes + alike + alike / 8);
    }

    /// When all tiles were appended.
    void finish() { write_header(header_, out_.written()); }

  private:
    PayloadHeader header_;
    Destination& out_;
};

base::Result<> encode_to(Destination& out, const CodeTile& code_tile, const Plan& plan,
                         const codecs::EncodeOptions& options) {
    const auto tiles = static_cast<std::size_t>(plan.tiles);
    PayloadHeader header{options.codec,    plan.array.dtype, plan.bound,
                         plan.array.shape, plan.tile,        std::vector<TileEntry>(tiles)};
    const std::vector<std::byte> room(header_bytes(header));
    if (auto begun = out.append(room, room.size()); !begun) {
        return begun;
    }
    Assembly payload(std::move(header), out);
    Spares<std::vector<std::byte>> buffers;
    const auto code = [&](std::size_t number, Scratch& scratch) -> base::Result<Coded> {
        std::vector<std::byte> bytes = buffers.take();
        bytes.clear();
        const auto tile = code_tile(static_cast<std::int64_t>(number), scratch, bytes);
        if (!tile) {
            return base::fail(tile);
        }
        const std::uint64_t sum = checksum(bytes);
        return Coded{*tile, std::move(bytes), sum};
    };
    const auto append = [&](std::size_t number, Coded coded) {
        auto appended = payload.append(number, coded);
        buffers.give(std::move(coded.bytes));
        return appended;
    };
    // Many tiles may be ahead, if one takes much longer than others: all of them will lie in memory.
    auto done = for_each_in_order<Coded>(tiles, options.threads, tiles, options.memory, code, append);
    if (done) {
        payload.finish();
    }
    return done;
}

base::Result<> encode_to(Destination& out, const ArrayView& array, const codecs::EncodeOptions& options) {
    const auto plan = plan_for(array, options);
    if (!plan) {
        return base::fail(plan);
    }
    const auto code = [&](std::int64_t number, Scratch& scratch, std::vector<std::byte>& bytes) {
        return encode_tile(*plan, number, scratch, bytes);
    };
    return encode_to(out, code, *plan, options);
}

/// What `encode` writes to where it is told to.
template <class Encode>
base::Result<std::vector<std::byte>> payload_of(const Encode& encode) {
    return guarded([&]() -> base::Result<std::vector<std::byte>> {
        Growing payload;
        if (auto done = encode(payload); !done) {
            return base::fail(std::move(done));
        }
        return std::move(payload).finish();
    });
}

}  // namespace

base::Result<std::vector<std::byte>> encode(const ArrayView& array, const codecs::EncodeOptions& options) {
    return payload_of([&](Destination& out) { return encode_to(out, array, options); });
}

base::Result<std::vector<std::byte>> encode_by(const CodeTile& code, const Plan& plan,
                                               const codecs::EncodeOptions& options) {
    return payload_of([&](Destination& out) { return encode_to(out, code, plan, options); });
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
