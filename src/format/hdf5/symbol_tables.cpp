#include "format/hdf5/symbol_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
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

    base::Result<> open_names(Address heap, std::uint64_t& left) {
        const auto head = image_.read(heap, 32);
        if (!head) {
            return fail(head);
        }
        base::ByteReader in(*head);
        const bool is_heap = take_signature(in, "HEAP");
        in.raw(4);
        const auto bytes = in.number<std::uint64_t>();
        in.raw(8);
        auto names = is_heap && bytes <= left ? image_.read(in.number<Address>(), bytes) : damaged_group(heap);
        if (!names) {
            return fail(std::move(names));
        }
        names_ = *std::move(names);
        left -= bytes;
        names_left_ = names_.size();
        return {};
    }

    /// Each node's children are one level lower; of the root's level nobody knows before.
    base::Result<> add_tree(Address address, std::optional<int> expected_level) {
        const auto head = image_.read(address, tree_head);
        if (!head) {
            return fail(head);
        }
        base::ByteReader in(*head);
        const bool is_tree = take_signature(in, "TREE");
        const auto kind = in.number<std::uint8_t>();
        const int level = in.number<std::uint8_t>();
        const auto children = in.number<std::uint16_t>();
        // Between keys, one more of which there is, lie the addresses of children.
        const auto rest = image_.read(address + tree_head, 8 + 16 * std::uint64_t{children});
        const bool can_be = level <= most_deep && level == expected_level.value_or(level);
        if (!is_tree || kind != 0 || !rest || !can_be || !seen_.insert(address).second) {
            return rest ? damaged_group(address) : base::Result<>(fail(rest));
        }
        base::ByteReader keys(*rest);
        for (int i = 0; i < children; ++i) {
            keys.raw(8);
            const auto child = keys.number<Address>();
            if (auto added = level > 0 ? add_tree(child, level - 1) : add_table(child); !added) {
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
        if (!is_table || !entries || !seen_.insert(address).second) {
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
            const std::size_t length = text.find('\0');
            if (length >= names_left_) {  // no name is there twice
                return damaged_group(address);
            }
            names_left_ -= length + 1;
            if (kind != is_soft) {
                objects_.push_back({std::string(text.substr(0, length)), object});
            }
        }
        return {};
    }

    const Image& image_;
    std::vector<std::byte> names_;
    std::size_t names_left_ = 0;  // bytes of those that no entry has had
    std::set<Address> seen_;      // nodes and tables
    std::vector<NamedObject> objects_;
};

base::Result<std::vector<NamedObject>> read_symbol_table(const Image& image, std::span<const std::byte> message,
                                                         std::uint64_t& left) {
    base::ByteReader in(message);
    const auto tree = in.number<Address>(), heap = in.number<Address>();
    SymbolTable table(image);
    auto read = in.ok() ? table.open_names(heap, left) : fail(ErrorCode::protocol, "a group ends too soon");
    read = read ? table.add_tree(tree, std::nullopt) : std::move(read);
    if (!read) {
        return fail(std::move(read));
    }
    return table.take();
}

}  // namespace

base::Result<std::vector<NamedObject>> links_of(const Image& image, std::span<const Message> group,
                                                std::uint64_t& left) {
    std::vector<NamedObject> links;
    for (const Message& message : group) {
        if (message.kind == MessageKind::symbol_table) {
            return read_symbol_table(image, message.content, left);
        }
        const auto link = message.kind == MessageKind::link ? link_in(message.content)
                                                            : base::Result<std::optional<Link>>(std::nullopt);
        if (!link) {
            return fail(link);
        }
        if (*link) {
            links.push_back({std::string((*link)->name), (*link)->object});
        }
    }
    return links;
}

}  // namespace staithe::format::hdf5
