// The blocks of a version in the order in which they were put, and which of them meet a box.
//
// There may be a million versions of one block each, or one of a million blocks. So of each block only those numbers
// are kept that it has, and where it begins is remembered apart only if there are many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <staithe/box.hpp>

#include "store/block_ref.hpp"

namespace staithe::store::space {

/// Where blocks lie: store and offset.
using BlockPlace = std::pair<std::uint32_t, std::int64_t>;
[[nodiscard]] inline BlockPlace place_of(const BlockRef& ref) { return {ref.store, ref.offset}; }

/// Of a block whose bytes are lost.
inline constexpr std::uint32_t lost_store = UINT32_MAX;

struct VersionBlock {
    Box box;
    BlockRef ref;
    bool column_major = false;
    std::uint32_t by = 0;              // who has put it: a place in the catalog's names
    std::optional<BlockPlace> twin{};  // where the same bytes lie, too
};

class VersionBlocks {
  public:
    explicit VersionBlocks(const Extents& shape) : shape_(shape) {}

    /// Its box has the dimensions of the shape, and lies in it.
    void add(const VersionBlock& block);
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] Box box(std::size_t place) const;
    [[nodiscard]] VersionBlock operator[](std::size_t place) const;
    [[nodiscard]] const BlockRef& ref(std::size_t place) const { return entries_[place].ref; }
    /// Its bytes lie there from now on.
    void move(std::size_t place, std::uint32_t store, std::int64_t offset) {
        entries_[place].ref.store = store;
        entries_[place].ref.offset = offset;
    }
    [[nodiscard]] std::optional<BlockPlace> twin(std::size_t place) const;
    /// Nothing: it has none any more.
    void set_twin(std::size_t place, const std::optional<BlockPlace>& twin);
    /// The places of those that have an element in common with the box.
    [[nodiscard]] std::vector<std::size_t> meeting(const Box& wanted) const;
    [[nodiscard]] const Extents& shape() const { return shape_; }

  private:
    struct Entry {
        BlockRef ref;
        std::uint32_t by = 0;
        bool column_major = false;
    };
    /// Where they begin along the dimension in which there are most, by how many binary digits their lengths have:
    /// among short ones a long one makes nobody look far.
    struct Beginnings {
        std::size_t along = 0;
        std::map<int, std::multimap<std::int64_t, std::size_t>> places;

        void add(const Box& box, std::size_t place);
    };

    Extents shape_;
    std::vector<std::int64_t> numbers_;  // of each box: the offset, then the count
    std::vector<Entry> entries_;
    std::map<std::size_t, BlockPlace> twins_;  // of those that have one: large ones, if any
    std::unique_ptr<Beginnings> beginnings_;   // once there are many
};

}  // namespace staithe::store::space
