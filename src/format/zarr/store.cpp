#include "format/zarr/store.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/zarr/chunk_files.hpp"
#include "os/files.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

constexpr std::size_t most_metadata = std::size_t{256} << 20;
/// More than any program has written: a number in a file may be anything.
constexpr std::int64_t most_recorded = std::int64_t{1} << 32;

base::Result<Attributes> read_root(const std::string& path) {
    const auto text = os::read_file(path + "/" + metadata_name, most_metadata);
    if (!text) {
        return text.error().code == ErrorCode::not_found
                   ? fail(ErrorCode::not_found, "there is no recording '{}': no file '{}' in a folder of that name",
                          base::printable(path), metadata_name)
                   : fail(text);
    }
    auto root = base::from_json(*text);
    const Attributes* const map = root ? root->as_map() : nullptr;
    if (map == nullptr || !find(*map, "zarr_format") || find(*map, "zarr_format")->as_int() != 3) {
        return fail(ErrorCode::protocol, "'{}' is no Zarr store of version 3", base::printable(path));
    }
    return *map;
}

base::Result<std::vector<std::int64_t>> read_numbers(const Store& store, const ArrayNode& node, std::int64_t steps) {
    if (node.info.dtype != Dtype::i64 || !node.info.shape.empty() || steps > most_recorded) {
        return fail(ErrorCode::protocol, "the array '{}' has no numbers of steps", numbers_name);
    }
    if (node.packing != Packing::none || node.grid.shard) {
        return fail(ErrorCode::protocol,
                    "the array '{}' is compressed, or in shards, which this version reads of variables alone",
                    numbers_name);
    }
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(steps));
    auto left = std::as_writable_bytes(std::span(numbers));
    for (std::int64_t step = 0; step < steps; step += node.grid.steps) {
        const Chunk chunk = chunks_of(node.grid, {}, Dtype::i64, step, store.separator).front();
        const auto part = left.first(std::min(left.size(), static_cast<std::size_t>(bytes_of(node.grid, Dtype::i64))));
        const auto file = os::open_for_reading(store.folder_of(numbers_name) + "/" + chunk.name);
        const auto had = file ? os::read_at(*file, 0, part) : fail(file);
        if (!had || *had < part.size()) {
            return had ? fail(ErrorCode::protocol, "{} ends too soon", chunk.name) : fail(had);
        }
        left = left.subspan(part.size());
    }
    return numbers;
}

/// A chunk is a text, and called as those are that a writer makes.
base::Result<> check_texts(const Attributes& metadata) {
    const Attributes expected = encode_texts(0);
    for (const char* const field : {"data_type", "codecs", "chunk_grid", "chunk_key_encoding"}) {
        const Value* const value = find(metadata, field);
        if (value == nullptr || *value != expected.at(field)) {
            return fail(ErrorCode::protocol, "the array '{}' is not laid out as in recordings: its {} differs",
                        attributes_name, field);
        }
    }
    return {};
}

/// What the nodes of a store are taken for, one after the other.
class Loading {
  public:
    explicit Loading(Store& store) : store_(store) {}

    base::Result<> add(const std::string& path, const Attributes& metadata) {
        const auto type = base::text_field(metadata, "node_type");
        if (!type) {
            return fail(type);
        }
        const auto slash = path.find('/');
        const auto apart = step_of(path.substr(0, slash));
        if (*type != "array") {
            const Attributes* const attributes = base::map_field(metadata, "attributes");
            if (apart && slash == std::string::npos && attributes != nullptr) {
                store_.apart[*apart].attributes = *attributes;
            }
            return {};
        }
        if (path == attributes_name) {
            return check_texts(metadata);
        }
        auto described = decode(apart && slash != std::string::npos ? path.substr(slash + 1) : path, metadata, !apart);
        if (!described) {
            return fail(std::move(described));
        }
        ArrayNode& array = described->array;
        if (separator_.value_or(described->separator) != described->separator) {
            return fail(ErrorCode::protocol, "the array '{}' names its files otherwise than others do",
                        base::printable(path));
        }
        separator_ = store_.separator = described->separator;
        if (const auto checked = check(array.info); !checked && path != numbers_name) {  // it may lead anywhere
            return fail(ErrorCode::protocol, "{}", checked.error().message);
        }
        if (apart) {
            store_.apart[*apart].arrays.push_back(std::move(array));
            return {};
        }
        if (steps_.value_or(described->steps) != described->steps) {
            return fail(ErrorCode::protocol, "the array '{}' has {} steps, and others have {}", base::printable(path),
                        described->steps, *steps_);
        }
        steps_ = described->steps;
        return path == numbers_name ? take_numbers(array) : take(std::move(array));
    }
    base::Result<> end() {
        return has_numbers_ ? base::Result<>()
                            : fail(ErrorCode::protocol, "it has no array '{}' of the numbers of steps", numbers_name);
    }

  private:
    base::Result<> take(ArrayNode array) {
        store_.arrays.push_back(std::move(array));
        return {};
    }
    base::Result<> take_numbers(const ArrayNode& array) {
        auto numbers = read_numbers(store_, array, *steps_);
        if (!numbers) {
            return fail(std::move(numbers));
        }
        store_.numbers_array = array;
        store_.numbers = *std::move(numbers);
        has_numbers_ = true;
        return check_numbers(store_.numbers);
    }

    Store& store_;
    std::optional<std::int64_t> steps_;
    std::optional<char> separator_;
    bool has_numbers_ = false;
};

base::Result<> add_all(Store& store, const Attributes& nodes) {
    Loading loading(store);
    for (const auto& [path, node] : nodes) {
        const Attributes* const metadata = node.as_map();
        auto added = metadata == nullptr ? fail(ErrorCode::protocol, "the metadata of '{}' are garbled", path)
                                         : loading.add(path, *metadata);
        if (!added) {
            return added;
        }
    }
    return loading.end();
}

}  // namespace

std::string Store::attributes_file_of(std::int64_t place) { return fmt::format("c.{}", place); }

std::optional<std::int64_t> Store::newest() const { return newest_of(numbers, apart); }

ArrayNode numbers_node() {
    return {.info = {.name = numbers_name, .dtype = Dtype::i64}, .grid = grid_for({}, Dtype::i64)};
}

base::Result<Store> load(const std::string& path) {
    const auto root = read_root(path);
    if (!root) {
        return fail(root);
    }
    const Attributes* const consolidated = base::map_field(*root, "consolidated_metadata");
    const Attributes* const nodes = consolidated == nullptr ? nullptr : base::map_field(*consolidated, "metadata");
    if (nodes == nullptr) {
        return fail(ErrorCode::protocol,
                    "'{}' is a Zarr store, but not one that Staithe has recorded: its metadata are not consolidated",
                    base::printable(path));
    }
    Store store{.path = path};
    if (const Attributes* const attributes = base::map_field(*root, "attributes")) {
        store.attributes = *attributes;
    }
    if (auto added = add_all(store, *nodes); !added) {
        return fail(added.error().code, "'{}' cannot be read as a recording: {}", base::printable(path),
                    added.error().message);
    }
    return store;
}

}  // namespace staithe::format::zarr
