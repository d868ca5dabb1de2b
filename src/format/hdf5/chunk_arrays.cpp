#include "format/hdf5/chunk_arrays.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace staithe::format::hdf5 {
namespace {

using base::ByteReader;
using base::fail;
using Found = base::Result<std::optional<ChunkPlace>>;

constexpr std::size_t plain_entry = sizeof(Address);
constexpr std::size_t mask_bytes = sizeof(std::uint32_t);
/// What blocks begin with: the kind of array, and the address of its header.
constexpr std::size_t head_of_block = 1 + sizeof(Address);
/// HDF5 has 10.
constexpr unsigned most_page_bits = 16;

tl::unexpected<base::Failure> damaged_array(Address address) {
    return fail(ErrorCode::protocol, "the index of chunks at {} is damaged", address);
}

/// To base 2, rounded down.
std::uint64_t log_of(std::uint64_t number) { return static_cast<std::uint64_t>(std::bit_width(number)) - 1; }

/// Whether that bit is set, of those that begin with the most significant one of the first byte.
bool is_set(std::span<const std::byte> bits, std::uint64_t number) {
    return number / 8 < bits.size() &&
           (bits[number / 8] & (std::byte{0x80} >> static_cast<int>(number % 8))) != std::byte{};
}

std::uint64_t bytes_of_bits(std::uint64_t bits) { return bits / 8 + (bits % 8 == 0 ? 0 : 1); }

/// What the blocks of both arrays have in common.
struct Entries {
    std::size_t bytes = plain_entry;  // of each
    unsigned page_bits = 0;

    [[nodiscard]] std::uint64_t of_page() const { return std::uint64_t{1} << page_bits; }
    [[nodiscard]] bool can_be() const { return bytes > 0 && page_bits <= most_page_bits; }

    /// Of a block that is one page, behind so many bytes of what it is.
    [[nodiscard]] Found find(CheckedBlocks& blocks, Address block, std::string_view signature, std::size_t head,
                             std::uint64_t count, std::uint64_t place) const {
        auto in = blocks.read(block, head + count * bytes, signature);
        if (!in) {
            return fail(std::move(in));
        }
        in->raw(head);
        return take_entry(*in, block, place);
    }
    [[nodiscard]] Found take_entry(ByteReader in, Address block, std::uint64_t place) const {
        in.raw(place * bytes);
        const auto chunk = take_place(in, bytes);
        return chunk ? Found(chunk) : damaged_array(block);
    }
    /// Likewise of a block with pages behind it, of `count` entries in all.
    [[nodiscard]] Found find_in_page(CheckedBlocks& blocks, Address block, std::uint64_t head, std::uint64_t count,
                                     std::uint64_t place) const {
        const std::uint64_t page = place / of_page(), first = page * of_page();
        const Address pages = block + CheckedBlocks::bytes_before + head + CheckedBlocks::bytes_behind;
        return find(blocks, pages + page * (of_page() * bytes + CheckedBlocks::bytes_behind), {}, 0,
                    std::min(of_page(), count - first), place - first);
    }
};

struct ExtensibleArray {
    Entries entries{};
    unsigned bits = 0;           // of the number of an entry
    std::uint64_t in_index = 0;  // entries of the index block
    std::uint64_t first = 1;     // entries of the first data block
    std::uint64_t pointers = 1;  // to data blocks, of the first block of such
    Address index = nowhere;
    Address address = nowhere;

    static base::Result<ExtensibleArray> open(CheckedBlocks& blocks, Address address) {
        constexpr std::uint64_t head_bytes = 63;
        auto in = blocks.read(address, head_bytes, "EAHD");
        if (!in) {
            return fail(std::move(in));
        }
        in->raw(1);  // its kind
        ExtensibleArray array{.address = address};
        array.entries.bytes = in->number<std::uint8_t>();
        array.bits = in->number<std::uint8_t>();
        array.in_index = in->number<std::uint8_t>();
        array.first = in->number<std::uint8_t>();
        array.pointers = in->number<std::uint8_t>();
        array.entries.page_bits = in->number<std::uint8_t>();
        in->raw(6 * sizeof(std::uint64_t));  // how many blocks and entries there are
        array.index = in->number<Address>();
        const bool can_be = array.entries.can_be() && std::has_single_bit(array.first) &&
                            std::has_single_bit(array.pointers) && array.bits < 64 &&
                            log_of(array.first) <= array.bits && array.rows_of_index() <= array.rows();
        return can_be ? base::Result<ExtensibleArray>(array) : damaged_array(address);
    }

    /// Data blocks come in rows: of each second one there are twice as many, and of the others each has twice as much.
    [[nodiscard]] std::uint64_t rows() const { return 1 + bits - log_of(first); }
    /// The index block leads to them; to those of each further row a block of its own does.
    [[nodiscard]] std::uint64_t rows_of_index() const { return 2 * log_of(pointers); }
    [[nodiscard]] static std::uint64_t blocks_of_row(std::uint64_t row) { return std::uint64_t{1} << row / 2; }
    /// Of all rows before.
    [[nodiscard]] static std::uint64_t blocks_before(std::uint64_t row) {
        return 2 * (blocks_of_row(row) - 1) + (row % 2 == 0 ? 0 : blocks_of_row(row));
    }
    [[nodiscard]] std::uint64_t entries_of_block(std::uint64_t row) const { return first << (row + 1) / 2; }
    [[nodiscard]] std::uint64_t entries_before(std::uint64_t row) const {
        return ((std::uint64_t{1} << row) - 1) * first;
    }
    /// Each of these has its offset in the array.
    [[nodiscard]] std::size_t head_of_data() const { return head_of_block + (bits + 7) / 8; }

    [[nodiscard]] Found find(CheckedBlocks& blocks, std::uint64_t number) const {
        const std::uint64_t direct = blocks_before(rows_of_index());
        const std::uint64_t index_bytes =
            head_of_block + in_index * entries.bytes + (direct + rows() - rows_of_index()) * sizeof(Address);
        auto in = blocks.read(index, index_bytes, "EAIB");
        if (!in) {
            return fail(std::move(in));
        }
        in->raw(head_of_block);
        if (number < in_index) {
            return entries.take_entry(*in, index, number);
        }
        in->raw(in_index * entries.bytes);
        const std::uint64_t behind = number - in_index;
        const std::uint64_t row = log_of(behind / first + 1);
        if (row >= rows()) {
            return damaged_array(address);
        }
        const std::uint64_t in_row = behind - entries_before(row);
        const std::uint64_t block = in_row / entries_of_block(row), place = in_row % entries_of_block(row);
        if (row < rows_of_index()) {
            in->raw((blocks_before(row) + block) * sizeof(Address));
            return find_in_block(blocks, in->number<Address>(), row, place);
        }
        in->raw((direct + row - rows_of_index()) * sizeof(Address));
        return find_in_row(blocks, in->number<Address>(), row, block, place);
    }

    /// By the block that leads to the data blocks of a row.
    [[nodiscard]] Found find_in_row(CheckedBlocks& blocks, Address row_block, std::uint64_t row, std::uint64_t block,
                                    std::uint64_t place) const {
        if (row_block == nowhere) {
            return std::nullopt;
        }
        const bool has_pages = entries_of_block(row) > entries.of_page();
        const std::uint64_t pages = has_pages ? entries_of_block(row) / entries.of_page() : 0;
        const std::uint64_t bits_bytes = blocks_of_row(row) * bytes_of_bits(pages);
        auto in = blocks.read(row_block, head_of_data() + bits_bytes + blocks_of_row(row) * sizeof(Address), "EASB");
        if (!in) {
            return fail(std::move(in));
        }
        in->raw(head_of_data());
        const auto written = in->raw(bits_bytes);
        if (has_pages && !is_set(written, block * pages + place / entries.of_page())) {
            return std::nullopt;
        }
        in->raw(block * sizeof(Address));
        return find_in_block(blocks, in->number<Address>(), row, place);
    }

    [[nodiscard]] Found find_in_block(CheckedBlocks& blocks, Address data, std::uint64_t row,
                                      std::uint64_t place) const {
        const std::uint64_t count = entries_of_block(row);
        if (data == nowhere) {
            return std::nullopt;
        }
        return count <= entries.of_page() ? entries.find(blocks, data, "EADB", head_of_data(), count, place)
                                          : entries.find_in_page(blocks, data, head_of_data(), count, place);
    }
};

}  // namespace

std::optional<ChunkPlace> take_place(ByteReader& in, std::size_t entry_bytes) {
    ChunkPlace place{.address = in.number<Address>()};
    if (entry_bytes == plain_entry) {
        return in.ok() ? std::optional(place) : std::nullopt;
    }
    const std::size_t size_bytes = entry_bytes - std::min(entry_bytes, plain_entry + mask_bytes);
    place.bytes = take_integer(in, size_bytes);
    place.left_out = in.number<std::uint32_t>();
    return in.ok() && size_bytes > 0 && size_bytes <= sizeof(place.bytes) ? std::optional(place) : std::nullopt;
}

Found find_in_fixed_array(CheckedBlocks& blocks, Address address, std::uint64_t number) {
    constexpr std::uint64_t head_bytes = 19;
    auto in = blocks.read(address, head_bytes, "FAHD");
    if (!in) {
        return fail(std::move(in));
    }
    in->raw(1);  // its kind
    Entries entries;
    entries.bytes = in->number<std::uint8_t>();
    entries.page_bits = in->number<std::uint8_t>();
    const auto count = in->number<std::uint64_t>();
    const auto data = in->number<Address>();
    if (!entries.can_be() || number >= count) {
        return damaged_array(address);
    }
    if (data == nowhere) {
        return std::nullopt;
    }
    if (count <= entries.of_page()) {
        return entries.find(blocks, data, "FADB", head_of_block, count, number);
    }
    const std::uint64_t bits_bytes = bytes_of_bits((count - 1) / entries.of_page() + 1);
    auto block = blocks.read(data, head_of_block + bits_bytes, "FADB");
    if (!block) {
        return fail(std::move(block));
    }
    block->raw(head_of_block);
    if (!is_set(block->raw(bits_bytes), number / entries.of_page())) {
        return std::nullopt;
    }
    return entries.find_in_page(blocks, data, head_of_block + bits_bytes, count, number);
}

Found find_in_extensible_array(CheckedBlocks& blocks, Address address, std::uint64_t number) {
    const auto array = ExtensibleArray::open(blocks, address);
    if (!array) {
        return fail(array);
    }
    return array->index == nowhere ? Found(std::nullopt) : array->find(blocks, number);
}

}  // namespace staithe::format::hdf5
