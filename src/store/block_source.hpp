// Where a reader gets the data of blocks from, wherever it is: memory, files, other processes, other hosts.
//
// Thread-safe: the steps that share a source go to any thread. A call may wait for as long as the bytes take to come.
// Refs are untrusted: `protocol`, with the block's name, for one that cannot be what its description says, or that
// names what the source does not hold. Descriptions have been checked where they were decoded.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include <staithe/array_view.hpp>

#include "array/overlap.hpp"
#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "store/block_ref.hpp"

namespace staithe::store {

namespace reducing {
class Reduction;
}

/// A part of a block, and where it goes in a destination.
struct Piece {
    std::size_t block = 0;  // its place among the refs
    const BlockDescription* description = nullptr;
    array::Overlap overlap;
};

/// Brings a piece into a destination by way of the smallest box of its block that has it: `fill` is told that box, and
/// where its elements are to lie.
base::Result<> fetch_by_box(const Piece& piece, const MutableArrayView& destination,
                            base::FunctionRef<base::Result<>(const Box& box, const MutableArrayView& elements)> fill);

/// Pieces that were asked for and are on their way. Gone before it was awaited, nothing is written for it any more.
class Order {
  public:
    Order() = default;
    virtual ~Order() = default;
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;

    /// As `fetch`; once. Now and then it calls a function, which may order more.
    virtual base::Result<> await(base::FunctionRef<void()> meanwhile) = 0;
};

class Evaluator;

class BlockSource {
  public:
    BlockSource() = default;
    virtual ~BlockSource() = default;
    BlockSource(const BlockSource&) = delete;
    BlockSource& operator=(const BlockSource&) = delete;

    /// A step of these blocks was taken: a source may get ready for what will be asked, such as map memory that is new.
    /// A child that is forked then has it, too. What is wrong with them is told when they are fetched.
    virtual void expect(std::span<const BlockRef> /*refs*/) {}

    /// All elements of the block in place, as long as this source lives and the step is pinned. Nothing where this
    /// source has no memory to show: then they are fetched.
    virtual base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block);

    /// Copies the pieces into a destination that has the selection's shape, as its dtype, to which the casts are safe.
    /// All at once, so that a source may ask all owners at the same time. A failure may leave a part of them there.
    /// Unless a source says otherwise, it copies from its views.
    virtual base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination);

    /// Adds the pieces to a reduction of a box that begins at 0, of which their destinations are disjoint parts. Where
    /// this source has memory to show, they are looked at there; a source may have owners reduce what they hold. Unless
    /// it says otherwise, other pieces are fetched by and by. A failure may leave a part of them in it.
    virtual base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                  reducing::Reduction& into);

    /// Who computes of the block where it lies; nullptr where nobody does. It lives as long as the source.
    virtual Evaluator* evaluator(const BlockRef& /*ref*/) { return nullptr; }

    /// Asks for pieces behind those that were ordered before and have not come yet, so that the way is not idle in
    /// between. Null where nothing is gained by that, or it cannot be: they are to be fetched when it is their turn.
    /// One thread orders, and awaits its orders one after the other; what it gives outlives them.
    virtual std::unique_ptr<Order> order(std::span<const BlockRef> /*refs*/, std::span<const Piece> /*pieces*/,
                                         const MutableArrayView& /*destination*/) {
        return nullptr;
    }

    /// For about how long nothing comes, or less than could, when something is fetched, as far as that is known.
    [[nodiscard]] virtual base::Seconds delay() const { return base::Seconds(0); }

    /// Whether some of the blocks have to come from another host.
    [[nodiscard]] virtual bool is_far() const { return false; }

    /// Nobody wants any more what is being fetched: calls that wait for others fail soon.
    virtual void stop() {}
};

}  // namespace staithe::store
