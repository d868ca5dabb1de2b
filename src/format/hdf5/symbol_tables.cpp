#include "format/hdf5/symbol_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

constexpr std::size_t tree_head = 24;
constexpr std::size_t table_head = 8;
constexpr std::size_t entry_bytes = 40;
/// Of an entry that leads to another name.
constexpr std::uint32_t is_soft = 2;
/// Deeper, and more, than programs write: what a file says may be anything.
constexpr int most_deep = 16;
constexpr std::size_t most_names = std::size_t{1} << 20;

tl::unexpected<base::Failure> damaged_group(Address address) {
    return fail(ErrorCode::protocol, "the table of a group at {} is damaged", address);
}

class SymbolTable {
  public:
    explicit SymbolTable(const Image& image) : image_(image) {}

    base::Result<> open_names(Address heap) {
        const auto head = image_.read(heap, 32);
        if (!head) {
            return fail(head);
        }
        base::ByteReader in(*head);
        const bool is_heap = take_signature(in, "HEAP");
        in.raw(4);
        const auto bytes = in.number<std::uint64_t>();
        in.raw(8);
        auto names = is_heap ? image_.read(in.number<Address>(), bytes) : damaged_group(heap);
        if (!names) {
            return fail(std::move(names));
        }
        names_ = *std::move(names);
        return {};
    }

    base::Result<> add_tree(Address address, int depth) {
        const auto head = image_.read(address, tree_head);
        if (!head) {
            return fail(head);
        }
        base::ByteReader in(*head);
        const bool is_tree = take_signature(in, "TREE");
        const auto kind = in.number<std::uint8_t>(), level = in.number<std::uint8_t>();
        const auto children = in.number<std::uint16_t>();
        // Between keys, one more of which there is, lie the addresses of children.
        const auto rest = image_.read(address + tree_head, 8 + 16 * std::uint64_t{children});
        if (!is_tree || kind != 0 || !rest || depth > most_deep) {
            return rest ? damaged_group(address) : base::Result<>(fail(rest));
        }
        base::ByteReader keys(*rest);
        for (int i = 0; i < children; ++i) {
            keys.raw(8);
            const auto child = keys.number<Address>();
            if (auto added = level > 0 ? add_tree(child, depth + 1) : add_table(child); !added) {
                return added;
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<NamedObject> take() { return std::move(objects_); }

  private:
    base::Result<> add_table(Address address) {
        const auto head = image_.read(address, table_head);
        if (!head) {
            return fail(head);
        }
        base::ByteReader in(*head);
        const bool is_table = take_signature(in, "SNOD");
        in.raw(2);
        const auto count = in.number<std::uint16_t>();
        const auto entries = image_.read(address + table_head, entry_bytes * std::uint64_t{count});
        if (!is_table || !entries) {
            return entries ? damaged_group(address) : base::Result<>(fail(entries));
        }
        base::ByteReader entry(*entries);
        for (int i = 0; i < count; ++i) {
            const auto name = entry.number<std::uint64_t>();
            const auto object = entry.number<Address>();
            const auto kind = entry.number<std::uint32_t>();
            entry.raw(20);
            if (name >= names_.size() || objects_.size() >= most_names) {
                return damaged_group(address);
            }
            const auto text =
                std::string_view(reinterpret_cast<const char*>(names_.data()), names_.size()).substr(name);
            if (kind != is_soft) {
                objects_.push_back({std::string(text.substr(0, text.find('\0'))), object});
            }
        }
        return {};
    }

    const Image& image_;
    std::vector<std::byte> names_;
    std::vector<NamedObject> objects_;
};

}  // namespace

base::Result<std::vector<NamedObject>> read_symbol_table(const Image& image, std::span<const std::byte> message) {
    base::ByteReader in(message);
    const auto tree = in.number<Address>(), heap = in.number<Address>();
    SymbolTable table(image);
    auto read = in.ok() ? table.open_names(heap) : fail(ErrorCode::protocol, "a group ends too soon");
    read = read ? table.add_tree(tree, 0) : std::move(read);
    if (!read) {
        return fail(std::move(read));
    }
    return table.take();
}

}  // namespace staithe::format::hdf5
