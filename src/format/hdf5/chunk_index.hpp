// Where the chunks of an array lie: a B-tree (HDF5's version 1), whose keys are the chunks' offsets in the array.
//
// Chunks come in ascending order, and blocks that are in a file are never written again. So what changes is the tree's
// right edge alone: of each level the last node, which is written anew.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <staithe/box.hpp>

#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"

namespace staithe::format::hdf5 {

/// Of its first element, in each dimension of the array.
using ChunkOffset = std::array<std::uint64_t, max_dimensions + 1>;

struct ChunkPlace {
    Address address = nowhere;
    std::uint64_t bytes = 0;     // as it lies in the file
    std::uint32_t left_out = 0;  // filters that it has not gone through, a bit each
};

struct ChunkEntry {
    ChunkOffset offset{};
    ChunkPlace place;  // of the chunk; or of a node, the first of whose chunks it is
};

/// How an array is cut.
struct ChunkShape {
    Shape lengths;  // of a chunk, in elements
    std::int64_t element_bytes = 1;
};

/// Nothing if the array has no such chunk; untrusted.
[[nodiscard]] base::Result<std::optional<ChunkPlace>> find_chunk(const Image& image, Address root,
                                                                 const ChunkShape& shape, const ChunkOffset& offset);

class ChunkIndex {
  public:
    explicit ChunkIndex(ChunkShape shape) : shape_(std::move(shape)) {}
    /// One that a file has, of whose chunks none is plain.
    static base::Result<ChunkIndex> load(const Image& image, Address root, ChunkShape shape);

    /// Behind all that there are.
    void append(const ChunkEntry& entry) { appended_.push_back(entry); }
    /// The newest one, of which there must be one.
    [[nodiscard]] const ChunkPlace& last() const {
        return (appended_.empty() ? edge_.front().entries : appended_).back().place;
    }
    /// And where it begins in the array.
    [[nodiscard]] const ChunkOffset& newest() const { return newest_; }
    [[nodiscard]] bool is_empty() const { return appended_.empty() && edge_.front().entries.empty(); }

    /// The root. What is the same as before is where it was.
    Address write(Tail& tail);

  private:
    /// The last node of a level. Above the leaves, its last child is the last node below, and not among the entries.
    struct EdgeNode {
        std::vector<ChunkEntry> entries;
        Address left = nowhere;  // its sibling
    };

    /// What the node above it says of it.
    ChunkEntry write_node(std::size_t level, const std::vector<ChunkEntry>& entries, Address left, Tail& tail) const;
    void complete(std::size_t level, Tail& tail);

    ChunkShape shape_;
    std::vector<EdgeNode> edge_{1};  // from the leaves up
    std::vector<ChunkEntry> appended_;
    Address root_ = nowhere;
    ChunkOffset newest_{};
};

}  // namespace staithe::format::hdf5
