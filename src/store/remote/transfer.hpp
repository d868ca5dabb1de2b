// A piece on its way: its elements travel in the order in which they lie in the block's memory, so that whoever holds
// it need know nothing of arrays, and are put where they belong as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "store/block_source.hpp"
#include "store/remote/messages.hpp"

namespace staithe::store::remote {

/// A part of a block as it was sent: its bytes, or a payload of them, lie where its elements would begin.
struct Sent {
    std::size_t block = 0;  // its place among the refs
    std::int64_t first = 0;
    std::int64_t data_bytes = 0;  // of its elements
    std::int64_t bytes = 0;
    bool is_payload = false;
};

struct Transfer {
    const Piece* piece = nullptr;
    BlockRef ref;
    Dtype stored = Dtype::u8;
    std::int64_t first = 0;  // byte of the block
    Extents strides{};       // there, none negative, falling
    // Where they go: the dimensions in the order of those strides, without those of length 1.
    MutableArrayView destination;
    // Of what is computed: its strides may be any, and there may be other operands, each with its own.
    struct Operand {
        BlockRef ref;
        std::int64_t first = 0;
        Extents strides{};
    };
    std::vector<Operand> others{};
    std::int64_t operations = 1;           // for an element
    std::shared_ptr<const Offer> offer{};  // null: they come as they are
    std::vector<Sent>* sent = nullptr;     // not null: nothing is decoded, and it is told here what has come

    /// All elements of a piece that has some.
    static Transfer of(const Piece& piece, const BlockRef& ref, const MutableArrayView& destination);

    [[nodiscard]] std::int64_t bytes() const;
    /// Of the destination, the dimension along which its memory runs: the last one where it lies as the block does.
    [[nodiscard]] std::size_t fastest() const;
    [[nodiscard]] Wanted wanted() const;
    /// The first `count` indices of a dimension that has more, and the rest.
    [[nodiscard]] std::pair<Transfer, Transfer> cut(std::size_t dimension, std::int64_t count) const;
};

/// Appends the transfer. If the destination runs along another dimension than the block, in strips, of which what fits
/// a buffer has whole lines of the cache on both sides.
void append_in_strips(std::vector<Transfer>& transfers, Transfer transfer);

/// Appends the transfer in parts of which each is coded by itself, and lies in the block behind the one before it, as
/// servers need them: in so many at least, unless they were short. Of three one is sent while the next is encoded and
/// the one before it decoded.
void append_in_units(std::vector<Transfer>& transfers, Transfer transfer, std::int64_t at_least = 3);

/// Operations of a unit that is computed, about: some tens of milliseconds, or several times as many of slow ones.
constexpr std::int64_t most_operations = 16 << 20;

/// As the dtype that they have there; of so many bytes that are copied in all.
void put_elements(const MutableArrayView& to, const ArrayView& from, std::int64_t bytes);

/// Takes the bytes of a transfer as they come, straight into the destination where they lie alike for long enough
/// there, else through a buffer that is given for the time.
class Arrival {
  public:
    static constexpr std::size_t buffer_bytes = 256 << 10;

    explicit Arrival(const Transfer& transfer);

    /// Where the next bytes go, and how many; all that are left, if `parts` has room for that.
    Laid next(std::byte* buffer, std::span<std::span<std::byte>> parts) const;
    /// So many of them are there.
    void take(std::byte* buffer, std::int64_t bytes);
    [[nodiscard]] std::int64_t left() const { return left_; }
    /// Whether none of it goes through the buffer.
    [[nodiscard]] bool is_in_place() const { return in_place_; }

  private:
    void scatter(const std::byte* buffer) const;
    [[nodiscard]] std::int64_t bytes_of_batch() const;

    const Transfer* transfer_;
    std::int64_t left_;
    Runs runs_;  // of the destination
    bool in_place_;
    Batches batches_;             // unless in place
    std::int64_t in_buffer_ = 0;  // of the batch
};

}  // namespace staithe::store::remote
