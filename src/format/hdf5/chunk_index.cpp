#include "format/hdf5/chunk_index.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

constexpr std::string_view tree_signature = "TREE";
constexpr std::uint8_t of_chunks = 1;
/// HDF5's default, where the superblock says nothing else.
constexpr std::size_t most_children = 64;
constexpr std::size_t tree_head_bytes = 24;
constexpr std::size_t most_levels = 16;

/// A key has an offset in each dimension, and one within an element, which is zero.
std::size_t key_bytes(const ChunkShape& shape) { return 8 + 8 * (shape.lengths.size() + 1); }

std::size_t node_bytes(const ChunkShape& shape) {
    return tree_head_bytes + most_children * (key_bytes(shape) + sizeof(Address)) + key_bytes(shape);
}

struct Node {
    std::size_t level = 0;
    Address left = nowhere;
    std::vector<ChunkEntry> entries;
};

base::Result<Node> read_node(const Image& image, Address address, const ChunkShape& shape) {
    const auto bytes = image.read(address, node_bytes(shape));
    if (!bytes) {
        return fail(bytes);
    }
    base::ByteReader in(*bytes);
    const bool is_tree = take_signature(in, tree_signature);
    const auto kind = in.number<std::uint8_t>();
    Node node{.level = in.number<std::uint8_t>(), .entries = {}};
    const auto count = in.number<std::uint16_t>();
    node.left = in.number<Address>();
    static_cast<void>(in.number<Address>());
    if (!is_tree || kind != of_chunks || count == 0 || count > most_children || node.level >= most_levels) {
        return fail(ErrorCode::protocol, "the index of chunks at {} is damaged", address);
    }
    for (std::size_t i = 0; i < count; ++i) {
        ChunkEntry entry;
        entry.place.bytes = in.number<std::uint32_t>();
        entry.place.left_out = in.number<std::uint32_t>();
        for (std::size_t axis = 0; axis < shape.lengths.size(); ++axis) {
            entry.offset[axis] = in.number<std::uint64_t>();
        }
        static_cast<void>(in.number<std::uint64_t>());
        entry.place.address = in.number<Address>();
        node.entries.push_back(entry);
    }
    return node;
}

}  // namespace

base::Result<std::optional<ChunkPlace>> find_chunk(const Image& image, Address root, const ChunkShape& shape,
                                                   const ChunkOffset& offset) {
    std::size_t above = most_levels;
    for (Address at = root; at != nowhere;) {
        const auto node = read_node(image, at, shape);
        if (!node) {
            return fail(node);
        }
        if (node->level >= above) {
            return fail(ErrorCode::protocol, "the index of chunks at {} is damaged", at);
        }
        above = node->level;
        const auto after = std::ranges::upper_bound(node->entries, offset, {}, &ChunkEntry::offset);
        if (after == node->entries.begin()) {
            break;
        }
        const ChunkEntry& entry = *std::prev(after);
        if (node->level == 0) {
            return entry.offset == offset ? std::optional(entry.place) : std::nullopt;
        }
        at = entry.place.address;
    }
    return std::nullopt;
}

base::Result<ChunkIndex> ChunkIndex::load(const Image& image, Address root, ChunkShape shape) {
    ChunkIndex index(std::move(shape));
    index.root_ = root;
    std::size_t above = most_levels;
    for (Address at = root; at != nowhere;) {
        auto node = read_node(image, at, index.shape_);
        if (!node) {
            return fail(std::move(node));
        }
        const bool is_plain =
            std::ranges::any_of(node->entries, [](const ChunkEntry& each) { return each.place.left_out != 0; });
        if (is_plain || node->level >= above || (above != most_levels && node->level + 1 != above)) {
            return fail(ErrorCode::protocol, "the index of chunks at {} is damaged", at);
        }
        if (above == most_levels) {
            index.edge_.resize(node->level + 1);
        }
        above = node->level;
        EdgeNode& edge = index.edge_[above];
        edge = {.entries = std::move(node->entries), .left = node->left};
        at = nowhere;
        if (above > 0) {
            at = edge.entries.back().place.address;
            edge.entries.pop_back();
        } else {
            index.newest_ = edge.entries.back().offset;
        }
    }
    return index;
}

ChunkEntry ChunkIndex::write_node(std::size_t level, const std::vector<ChunkEntry>& entries, Address left,
                                  Tail& tail) const {
    base::ByteWriter out;
    out.raw(tree_signature);
    out.number(of_chunks);
    out.number(static_cast<std::uint8_t>(level));
    out.number(static_cast<std::uint16_t>(entries.size()));
    out.number(left);
    out.number(nowhere);  // what comes right of it has no place yet
    for (const ChunkEntry& entry : entries) {
        out.number(static_cast<std::uint32_t>(entry.place.bytes));
        out.number(std::uint32_t{0});  // all filters
        for (std::size_t axis = 0; axis < shape_.lengths.size(); ++axis) {
            out.number(entry.offset[axis]);
        }
        out.number(std::uint64_t{0});
        out.number(entry.place.address);
    }
    out.zeros(8);  // the key that is greater than all
    for (std::size_t axis = 0; axis < shape_.lengths.size(); ++axis) {
        out.number(newest_[axis] + shape_.lengths[axis]);
    }
    out.number(static_cast<std::uint64_t>(shape_.element_bytes));
    out.zeros(node_bytes(shape_) - out.bytes().size());
    const ChunkEntry& first = entries.front();
    return {.offset = first.offset, .place = {.address = tail.add(out.bytes()), .bytes = first.place.bytes}};
}

/// The node of that level is full: it stays as it is now written, and another one begins.
void ChunkIndex::complete(std::size_t level, Tail& tail) {
    EdgeNode full = std::exchange(edge_[level], {});
    const ChunkEntry written = write_node(level, full.entries, full.left, tail);
    edge_[level].left = written.place.address;
    if (edge_.size() == level + 1) {
        edge_.emplace_back();
    }
    auto& parent = edge_[level + 1].entries;
    parent.push_back(written);
    if (parent.size() == most_children) {
        complete(level + 1, tail);
    }
}

Address ChunkIndex::write(Tail& tail) {
    if (appended_.empty()) {
        return root_;
    }
    for (const ChunkEntry& entry : std::exchange(appended_, {})) {
        if (edge_.front().entries.size() == most_children) {
            complete(0, tail);
        }
        edge_.front().entries.push_back(entry);
        newest_ = entry.offset;
    }
    ChunkEntry child = write_node(0, edge_.front().entries, edge_.front().left, tail);
    for (std::size_t level = 1; level < edge_.size(); ++level) {
        std::vector<ChunkEntry> entries = edge_[level].entries;
        entries.push_back(child);
        if (level + 1 == edge_.size() && entries.size() == 1) {
            break;  // a root with one child would be none
        }
        child = write_node(level, entries, edge_[level].left, tail);
    }
    root_ = child.place.address;
    return root_;
}

}  // namespace staithe::format::hdf5
