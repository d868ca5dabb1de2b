#include "format/zarr/store.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
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
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(steps));
    auto left = std::as_writable_bytes(std::span(numbers));
    for (std::int64_t step = 0; step < steps; step += node.grid.steps) {
        const Chunk chunk = chunks_of(node.grid, {}, Dtype::i64, step, node.separator).front();
        const auto part = left.first(std::min(left.size(), static_cast<std::size_t>(bytes_of(node.grid, Dtype::i64))));
        const auto file = os::open_for_reading(store.file_of(numbers_name, chunk.name));
        const auto had = file ? os::read_at(*file, 0, part) : fail(file);
        if (!had || *had < part.size()) {
            return had ? fail(ErrorCode::protocol, "{} ends too soon", chunk.name) : fail(had);
        }
        left = left.subspan(part.size());
    }
    return numbers;
}

base::Result<> add(Store& store, const Attributes& nodes) {
    std::int64_t steps = -1;
    for (const auto& [name, node] : nodes) {
        const Attributes* const metadata = node.as_map();
        const auto type = metadata == nullptr ? fail(ErrorCode::protocol, "the metadata of '{}' are garbled", name)
                                              : base::text_field(*metadata, "node_type");
        if (!type) {
            return fail(type);
        }
        if (*type != "array" || name == texts_name) {
            continue;
        }
        std::int64_t here = 0;
        auto array = decode(name, *metadata, here);
        if (!array) {
            return fail(std::move(array));
        }
        if (steps >= 0 && here != steps) {
            return fail(ErrorCode::protocol, "the array '{}' has {} steps, and others have {}", base::printable(name),
                        here, steps);
        }
        steps = here;
        if (name != numbers_name) {
            store.arrays.push_back(*std::move(array));
            continue;
        }
        auto numbers = read_numbers(store, *array, steps);
        if (!numbers) {
            return fail(std::move(numbers));
        }
        store.numbers = *std::move(numbers);
    }
    return steps == std::ssize(store.numbers)
               ? base::Result<>()
               : fail(ErrorCode::protocol, "it has no array '{}' of the numbers of steps", numbers_name);
}

}  // namespace

std::string Store::texts_file_of(std::int64_t step) const { return file_of(texts_name, fmt::format("c.{}", step)); }

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
    if (auto added = add(store, *nodes); !added) {
        return fail(added.error().code, "'{}' cannot be read as a recording: {}", base::printable(path),
                    added.error().message);
    }
    return store;
}

}  // namespace staithe::format::zarr
