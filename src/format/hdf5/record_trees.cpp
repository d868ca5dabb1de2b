#include "format/hdf5/record_trees.hpp"

#include <algorithm>
#include <utility>

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// More than programs write: what a file says may be anything.
constexpr std::uint64_t most_records = std::uint64_t{1} << 20;
constexpr std::size_t most_levels_of_tree = 16;
constexpr std::size_t least_node_bytes = 64, most_node_bytes = std::size_t{1} << 20;
/// Of a node, besides records and what leads to others: the kind of its records is there, too.
constexpr std::size_t rest_of_node = CheckedBlocks::bytes_before + 1 + CheckedBlocks::bytes_behind;

tl::unexpected<base::Failure> damaged_tree(Address address) {
    return fail(ErrorCode::protocol, "the tree at {} is damaged", address);
}

}  // namespace

base::Result<RecordTree> RecordTree::open(CheckedBlocks& blocks, Address address) {
    constexpr std::uint64_t head_bytes = 29;
    auto in = blocks.read(address, head_bytes, "BTHD");
    if (!in) {
        return fail(std::move(in));
    }
    RecordTree tree(blocks, address);
    in->raw(1);  // the kind of its records
    tree.node_bytes_ = in->number<std::uint32_t>();
    tree.record_bytes_ = in->number<std::uint16_t>();
    const std::size_t depth = in->number<std::uint16_t>();
    in->raw(2);  // how full nodes are
    tree.root_.address = in->number<Address>();
    tree.root_.records = in->number<std::uint16_t>();
    tree.root_.level = depth;
    if (tree.node_bytes_ < least_node_bytes || tree.node_bytes_ > most_node_bytes || tree.record_bytes_ == 0 ||
        tree.record_bytes_ > tree.node_bytes_ - rest_of_node || depth > most_levels_of_tree) {
        return damaged_tree(address);
    }
    tree.measure(depth);
    return tree;
}

/// How many bytes count the records of nodes, which are as large as can be needed.
void RecordTree::measure(std::size_t depth) {
    constexpr std::uint64_t most_below = std::uint64_t{1} << 44;  // of which a node can have some times as many
    const std::uint64_t of_node = node_bytes_ - rest_of_node;
    std::uint64_t all = of_node / record_bytes_;
    count_bytes_ = bytes_for(all);
    all_bytes_ = {0};
    for (std::size_t level = 1; level <= depth; ++level) {
        const std::size_t pointer = pointer_bytes(level);
        const std::uint64_t records = of_node < pointer ? 0 : (of_node - pointer) / (record_bytes_ + pointer);
        all = (records + 1) * std::min(all, most_below) + records;
        all_bytes_.push_back(bytes_for(all));
    }
}

/// Of that to a child of a node of that level.
std::size_t RecordTree::pointer_bytes(std::size_t level) const {
    return sizeof(Address) + count_bytes_ + all_bytes_[level - 1];
}

base::Result<RecordTree::Content> RecordTree::read(const Node& node) const {
    const std::uint64_t records = node.records * record_bytes_;
    const std::uint64_t pointers = node.level > 0 ? (node.records + 1) * pointer_bytes(node.level) : 0;
    if (records + pointers > node_bytes_ - rest_of_node) {
        return damaged_tree(node.address);
    }
    auto in = blocks_->read(node.address, 1 + records + pointers, node.level > 0 ? "BTIN" : "BTLF");
    if (!in) {
        return fail(std::move(in));
    }
    in->raw(1);  // the kind of its records
    const auto content = in->raw(records);
    return Content{.records = content, .children = *in};
}

RecordTree::Node RecordTree::take_child(const Node& parent, base::ByteReader& in) const {
    Node child{.address = in.number<Address>(), .records = take_integer(in, count_bytes_), .level = parent.level - 1};
    in.raw(all_bytes_[child.level]);
    return child;
}

base::Result<std::vector<std::vector<std::byte>>> RecordTree::all() const {
    std::vector<std::vector<std::byte>> records;
    auto added = root_.address == nowhere ? base::Result<>() : add_all(root_, records);
    return added ? base::Result<std::vector<std::vector<std::byte>>>(std::move(records)) : fail(std::move(added));
}

base::Result<> RecordTree::add_all(const Node& node, std::vector<std::vector<std::byte>>& records) const {
    auto content = read(node);
    if (!content || records.size() + node.records > most_records) {
        return content ? damaged_tree(address_) : base::Result<>(fail(std::move(content)));
    }
    for (std::uint64_t i = 0; i < node.records; ++i) {
        const auto record = content->records.subspan(i * record_bytes_, record_bytes_);
        records.emplace_back(record.begin(), record.end());
    }
    std::vector<Node> children;  // whose blocks are read in place of this one
    for (std::uint64_t i = 0; node.level > 0 && i <= node.records; ++i) {
        children.push_back(take_child(node, content->children));
    }
    for (const Node& child : children) {
        if (auto added = add_all(child, records); !added) {
            return added;
        }
    }
    return {};
}

base::Result<std::optional<RecordTree::Record>> RecordTree::find(Compare compare) const {
    Node node = root_;
    while (node.address != nowhere) {
        auto content = read(node);
        if (!content) {
            return fail(std::move(content));
        }
        std::uint64_t first = 0, last = node.records;  // it lies behind all before the first, and before the last
        while (first < last) {
            const std::uint64_t middle = first + (last - first) / 2;
            const auto record = content->records.subspan(middle * record_bytes_, record_bytes_);
            const auto order = compare(record);
            if (order == std::strong_ordering::equal) {
                return record;
            }
            (order == std::strong_ordering::less ? first : last) =
                order == std::strong_ordering::less ? middle + 1 : middle;
        }
        if (node.level == 0) {
            break;
        }
        content->children.raw(first * pointer_bytes(node.level));
        node = take_child(node, content->children);
    }
    return std::nullopt;
}

}  // namespace staithe::format::hdf5
