// What is stored of encoded blocks, as far as pieces of them touch it: brought here from a source that has no memory to
// show.
//
// In two rounds. Blocks that are small, of which a piece has all, or that are one payload come whole in the first one;
// of others comes their head, which says where their parts lie, and in the second round those parts that are touched.
// It counts as memory of this process, or as what is fetched ahead (<staithe/limits.hpp>), as long as it is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "store/block_source.hpp"

namespace staithe::store {

/// What is stored of a block, as far as it is here.
class StoredBytes {
  public:
    /// Of so many.
    explicit StoredBytes(std::int64_t all) : all_(all) {}
    /// All of it, in memory that another process may change meanwhile.
    static StoredBytes shown(std::span<const std::byte> bytes);

    /// `protocol` where that is not here.
    [[nodiscard]] base::Result<std::span<const std::byte>> at(std::int64_t first, std::int64_t bytes) const;
    [[nodiscard]] std::int64_t all() const { return all_; }
    /// The first ones, as far as they are here without a gap.
    [[nodiscard]] std::span<const std::byte> front() const;
    [[nodiscard]] bool may_change() const { return may_change_; }
    void add(std::int64_t first, std::span<const std::byte> bytes) { here_.emplace_back(first, bytes); }

  private:
    std::int64_t all_;
    bool may_change_ = false;
    std::vector<std::pair<std::int64_t, std::span<const std::byte>>> here_;
};

class TouchedBytes {
  public:
    /// The piece, its description and the source outlive this. The ref has been checked.
    void add(const Piece& piece, const BlockRef& ref);
    /// About how many bytes come if that is added.
    [[nodiscard]] std::int64_t bytes_with(const Piece& piece, const BlockRef& ref) const {
        return bytes_ + about(piece, ref);
    }

    base::Result<> fetch(BlockSource& source);
    /// The first round is ordered; false if it cannot be, or nothing more is to be fetched ahead. The rest comes when
    /// it is awaited.
    bool order(BlockSource& source);
    base::Result<> await(BlockSource& source, base::FunctionRef<void()> meanwhile);

    /// Once it is here.
    base::Result<> use(base::FunctionRef<base::Result<>(const Piece& piece, const StoredBytes& stored)> use) const;

  private:
    struct Wanted {
        const Piece* piece = nullptr;
        BlockRef ref;            // of what is stored, as bytes
        BlockDescription bytes;  // the same
        bool is_whole = false;
        StoredBytes here;
    };
    struct Range {
        std::size_t of = 0;  // which of them
        std::int64_t first = 0;
        std::int64_t bytes = 0;
        std::int64_t place = 0;  // in memory
    };
    /// What is asked for at once, into memory of its own.
    struct Round {
        void add(std::size_t of, std::int64_t first, std::int64_t count);
        void put_together(std::span<const Wanted> wanted);
        [[nodiscard]] MutableArrayView destination() const;

        std::vector<Range> ranges;
        std::int64_t bytes = 0;
        std::vector<BlockRef> refs;
        std::vector<Piece> pieces;
        std::unique_ptr<std::byte[]> memory;
        base::Claim claim;
    };

    static std::int64_t about(const Piece& piece, const BlockRef& ref);
    [[nodiscard]] Round first_round() const;
    base::Result<> fetch_rest(BlockSource& source);
    base::Result<> find_parts(std::size_t of, Round& round) const;
    base::Result<> fetch_round(BlockSource& source, Round round);
    void take(Round round);

    std::vector<Wanted> wanted_;
    std::int64_t bytes_ = 0;
    Round ordered_;
    std::vector<Round> rounds_;  // that have come
    std::unique_ptr<Order> order_;
};

}  // namespace staithe::store
