// Trees of records (B-trees of version 2), by which HDF5 finds links and attributes that are many, and chunks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "format/hdf5/checked_blocks.hpp"
#include "format/hdf5/image.hpp"

namespace staithe::format::hdf5 {

/// Untrusted; `blocks` must outlive it.
class RecordTree {
  public:
    using Record = std::span<const std::byte>;
    using Compare = base::FunctionRef<std::strong_ordering(Record)>;

    static base::Result<RecordTree> open(CheckedBlocks& blocks, Address address);

    [[nodiscard]] std::size_t record_bytes() const { return record_bytes_; }
    /// Those of a node come before those between them.
    [[nodiscard]] base::Result<std::vector<std::vector<std::byte>>> all() const;
    /// The one that is equal to what is looked for, as `compare` says of each, until another block is read.
    [[nodiscard]] base::Result<std::optional<Record>> find(Compare compare) const;

  private:
    struct Node {
        Address address = nowhere;
        std::uint64_t records = 0;
        std::size_t level = 0;  // above the leaves
    };
    /// What a node has: its records, and where those between them lie.
    struct Content {
        Record records;
        base::ByteReader children;
    };

    RecordTree(CheckedBlocks& blocks, Address address) : blocks_(&blocks), address_(address) {}

    void measure(std::size_t depth);
    [[nodiscard]] std::size_t pointer_bytes(std::size_t level) const;
    [[nodiscard]] base::Result<Content> read(const Node& node) const;
    [[nodiscard]] Node take_child(const Node& parent, base::ByteReader& in) const;
    base::Result<> add_all(const Node& node, std::vector<std::vector<std::byte>>& records) const;

    CheckedBlocks* blocks_;
    Address address_;
    std::uint32_t node_bytes_ = 0;
    std::size_t record_bytes_ = 0;
    std::size_t count_bytes_ = 0;         // of the number of a node's records
    std::vector<std::size_t> all_bytes_;  // of the number of those below it, too, by level
    Node root_;
};

}  // namespace staithe::format::hdf5
