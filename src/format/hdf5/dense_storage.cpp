#include "format/hdf5/dense_storage.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "format/hdf5/checked_blocks.hpp"
#include "format/hdf5/record_trees.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::ByteReader;
using base::fail;

/// Of a record, behind or before the name of an object of the heap.
constexpr std::size_t bytes_of_hash = 4, id_of_link = 7, id_of_attribute = 8, rest_of_attribute = 9;

tl::unexpected<base::Failure> damaged_heap(Address address) {
    return fail(ErrorCode::protocol, "the heap of links or attributes at {} is damaged", address);
}

class Heap {
  public:
    static base::Result<Heap> open(const Image& image, CheckedBlocks& blocks, Address address) {
        constexpr std::uint64_t head_bytes = 137;  // of one without filters
        auto in = blocks.read(address, head_bytes, "FRHP");
        if (!in) {
            return fail(std::move(in));
        }
        Heap heap(image, address);
        in->raw(2);
        const auto filters = in->number<std::uint16_t>();
        in->raw(1);
        const auto most_object = in->number<std::uint32_t>();
        in->raw(12 * sizeof(std::uint64_t));
        heap.width_ = in->number<std::uint16_t>();
        heap.first_ = in->number<std::uint64_t>();
        heap.most_direct_ = in->number<std::uint64_t>();
        const auto bits = in->number<std::uint16_t>();
        in->raw(2);
        heap.root_ = in->number<Address>();
        heap.rows_ = in->number<std::uint16_t>();
        heap.offset_bytes_ = (bits + std::size_t{7}) / 8;
        heap.length_bytes_ = bytes_for(std::min<std::uint64_t>(heap.most_direct_, most_object));
        const bool can_be = filters == 0 && heap.width_ > 0 && std::has_single_bit(heap.width_) &&
                            std::has_single_bit(heap.first_) && std::has_single_bit(heap.most_direct_) &&
                            heap.first_ <= heap.most_direct_ && heap.most_direct_ < UINT32_MAX && bits <= 64;
        return can_be ? base::Result<Heap>(heap) : damaged_heap(address);
    }

    /// Of the object with that name.
    [[nodiscard]] base::Result<std::vector<std::byte>> read(std::span<const std::byte> id) const {
        constexpr std::uint8_t where_bits = 0xf0;
        ByteReader in(id);
        const auto kind = in.number<std::uint8_t>();
        const std::uint64_t offset = take_integer(in, offset_bytes_), bytes = take_integer(in, length_bytes_);
        if ((kind & where_bits) != 0 || !in.ok()) {
            return fail(
                ErrorCode::protocol,
                "a link or an attribute is so large, or so small, that it lies elsewhere, which this version does "
                "not read");
        }
        const auto address = rows_ == 0 ? base::Result<Address>(root_ + offset) : find(root_, rows_, offset, 0);
        if (!address || bytes > most_direct_) {
            return address ? damaged_heap(address_) : fail(address);
        }
        return image_->read(*address, bytes);
    }

  private:
    Heap(const Image& image, Address address) : image_(&image), address_(address) {}

    [[nodiscard]] std::uint64_t block_bytes(unsigned row) const { return row == 0 ? first_ : first_ << (row - 1); }

    /// Where the byte at that offset lies, by the block of addresses there.
    [[nodiscard]] base::Result<Address> find(Address block, unsigned rows, std::uint64_t offset, int depth) const {
        constexpr int most_blocks_in_each_other = 8;
        constexpr unsigned most_rows = 64;
        const auto log = [](std::uint64_t number) { return static_cast<unsigned>(std::bit_width(number)) - 1; };
        const unsigned direct_rows = log(most_direct_) - log(first_) + 2;
        const std::uint64_t row_0 = first_ * width_;
        const unsigned row = offset < row_0 ? 0 : log(offset / row_0) + 1;
        if (row >= rows || rows > most_rows || row + log(first_) >= most_rows || depth > most_blocks_in_each_other) {
            return damaged_heap(block);
        }
        const std::uint64_t in_row = offset - (row == 0 ? 0 : row_0 << (row - 1));
        const std::uint64_t place = row * std::uint64_t{width_} + in_row / block_bytes(row);
        const auto child = image_->read(block + 13 + offset_bytes_ + place * sizeof(Address), sizeof(Address));
        if (!child) {
            return fail(child);
        }
        ByteReader in(*child);
        const auto at = in.number<Address>();
        const std::uint64_t in_block = in_row % block_bytes(row);
        if (row < direct_rows) {
            return at + in_block;
        }
        return find(at, log(block_bytes(row)) - log(row_0) + 1, in_block, depth + 1);
    }

    const Image* image_;
    Address address_;
    std::uint16_t width_ = 1;        // blocks of a row
    std::uint64_t first_ = 1;        // bytes of the first one
    std::uint64_t most_direct_ = 1;  // and of the largest that has objects
    Address root_ = nowhere;
    std::uint16_t rows_ = 0;        // of the root; 0: it has objects
    std::size_t offset_bytes_ = 0;  // in names of objects
    std::size_t length_bytes_ = 0;
};

/// Where heap and tree lie.
struct Elsewhere {
    Address heap = nowhere;
    Address tree = nowhere;
};

std::optional<Elsewhere> elsewhere_in(const Message& info) {
    ByteReader in(info.content);
    static_cast<void>(in.number<std::uint8_t>());  // version
    const bool says_order = (in.number<std::uint8_t>() & 1U) != 0;
    in.raw(!says_order ? 0 : info.kind == MessageKind::link_info ? 8 : 2);
    Elsewhere where;
    where.heap = in.number<Address>();
    where.tree = in.number<Address>();
    return in.ok() ? std::optional(where) : std::nullopt;
}

}  // namespace

base::Result<std::vector<Message>> messages_elsewhere(const Image& image, const Message& info, std::uint64_t& left) {
    const bool are_links = info.kind == MessageKind::link_info;
    const auto where = elsewhere_in(info);
    if (!where) {
        return fail(ErrorCode::protocol, "an object does not say where its links or attributes lie");
    }
    const std::size_t record_bytes = are_links ? bytes_of_hash + id_of_link : id_of_attribute + rest_of_attribute;
    std::vector<Message> messages;
    if (where->heap == nowhere) {
        return messages;
    }
    CheckedBlocks blocks(image);
    const auto heap = Heap::open(image, blocks, where->heap);
    const auto tree = heap ? RecordTree::open(blocks, where->tree) : fail(heap);
    if (!tree || tree->record_bytes() != record_bytes) {
        return tree ? damaged_heap(where->heap) : fail(tree);
    }
    const auto records = tree->all();
    if (!records) {
        return fail(records);
    }
    for (const std::vector<std::byte>& record : *records) {
        const auto bytes = std::span<const std::byte>(record);
        const bool is_shared = !are_links && bytes[id_of_attribute] != std::byte{};
        if (is_shared) {
            continue;
        }
        auto content = heap->read(are_links ? bytes.subspan(bytes_of_hash) : bytes.first(id_of_attribute));
        const std::uint64_t all = record.size() + (content ? content->size() : 0);
        if (!content || all > left) {
            return content ? damaged_heap(where->heap) : fail(std::move(content));
        }
        left -= all;
        messages.push_back({are_links ? MessageKind::link : MessageKind::attribute, *std::move(content)});
    }
    return messages;
}

}  // namespace staithe::format::hdf5
