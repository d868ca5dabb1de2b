#include "format/zarr/store.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "format/packing.hpp"
#include "format/steps_of_others.hpp"
#include "format/zarr/nodes.hpp"
#include "format/zarr/stored_chunks.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

/// More than any program has written: a number in a file may be anything.
constexpr std::int64_t most_recorded = std::int64_t{1} << 32;

/// Of all arrays: who reads the step has them all in memory.
constexpr std::int64_t most_chunks_of_step = std::int64_t{1} << 21;

/// What is read at once where nobody knows how much is there; what a chunk says that is packed may be anything, too.
constexpr std::int64_t most_at_once = std::int64_t{1} << 17;
constexpr std::int64_t most_packed = std::int64_t{1} << 27;

/// Appends as many numbers as come: a chunk may be shorter than its array says.
base::Result<> read_as_they_are(StoredChunks& chunks, const StoredPart& part, std::vector<std::int64_t>& numbers) {
    for (std::int64_t first = 0; first < part.box.count[0]; first += most_at_once) {
        const auto count = static_cast<std::size_t>(std::min(part.box.count[0] - first, most_at_once));
        numbers.resize(numbers.size() + count);
        const auto to = std::as_writable_bytes(std::span(numbers).last(count));
        if (auto read = chunks.read(part, first * size_of(Dtype::i64), to); !read) {
            return read;
        }
    }
    return {};
}

base::Result<> read_packed(StoredChunks& chunks, const StoredPart& part, std::vector<std::int64_t>& numbers) {
    if (part.box.count[0] > most_packed) {
        return fail(ErrorCode::protocol, "a chunk of the array '{}' is said to have {} numbers", numbers_name,
                    part.box.count[0]);
    }
    const auto packed = chunks.read_packed(part);
    if (!packed) {
        return fail(packed);
    }
    const auto count = static_cast<std::size_t>(part.box.count[0]);
    numbers.resize(numbers.size() + count);
    const auto to = MutableArrayView::row_major(std::span(numbers).last(count).data(), Dtype::i64, part.box.count);
    if (*packed) {
        return unpack(part, **packed, Box::whole(part.box.count), to);
    }
    fill(part, to);
    return {};
}

/// Of the array with these metadata, each as it comes out of its chunk.
base::Result<std::vector<std::int64_t>> read_numbers(const Store& store, const Attributes& metadata) {
    auto array = decode(numbers_name, metadata, false);
    if (!array) {
        return fail(std::move(array));
    }
    if (store.is_own) {
        array->array.fill.reset();
    }
    std::vector<std::int64_t> numbers;
    StoredChunks chunks;
    for (const StoredPart& part :
         stored(array->array, store.folder_of(numbers_name), std::nullopt, array->keys).parts) {
        auto read = part.packing == Packing::none ? read_as_they_are(chunks, part, numbers)
                                                  : read_packed(chunks, part, numbers);
        if (!read) {
            return fail(std::move(read));
        }
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

SeenArray seen(const std::string& path, const Attributes& metadata) {
    const List* const shape = base::list_field(metadata, "shape");
    const Attributes* const attributes = base::map_field(metadata, "attributes");
    return {.name = path,
            .dimensions = names_of_dimensions_in(metadata),
            .unit = attributes == nullptr ? "" : base::text_field(*attributes, units_attribute).value_or(""),
            .length = shape == nullptr || shape->empty() ? 0 : shape->front().as_int().value_or(0)};
}

/// What the nodes of a store are taken for, one after the other.
class Loading {
  public:
    Loading(Store& store, const std::map<std::string, Attributes>& nodes) : store_(store), nodes_(nodes) {}

    base::Result<> load() {
        store_.is_own = nodes_.contains(attributes_name) && nodes_.contains(numbers_name);
        std::vector<SeenArray> arrays;
        for (const auto& [path, metadata] : nodes_) {
            if (is_array(metadata)) {
                arrays.push_back(seen(path, metadata));
            }
        }
        steps_are_ = store_.is_own ? std::optional<std::string>(step_dimension) : dimension_of_steps(arrays);
        for (const auto& [path, metadata] : nodes_) {
            auto added = is_array(metadata) ? add_array(path, metadata) : add_group(path, metadata);
            if (!added) {
                return added;
            }
        }
        return take_numbers(!arrays.empty());
    }

  private:
    base::Result<> add_group(const std::string& path, const Attributes& metadata) {
        const auto apart = store_.is_own ? step_of(path) : std::nullopt;
        const Attributes* const attributes = base::map_field(metadata, "attributes");
        if (apart && attributes != nullptr) {
            store_.apart[*apart].attributes = *attributes;
        }
        return {};
    }

    base::Result<> add_array(const std::string& path, const Attributes& metadata) {
        const auto slash = path.find('/');
        const auto apart = store_.is_own && slash != std::string::npos ? step_of(path.substr(0, slash)) : std::nullopt;
        if (store_.is_own && path == attributes_name) {
            return check_texts(metadata);
        }
        if (!store_.is_own && !has_known_type(metadata)) {
            base::log(LogLevel::warn, "'{}' is read without the array '{}': Staithe has no dtype for its elements",
                      base::printable(store_.path), base::printable(path));
            return {};
        }
        const bool is_along = lies_along(names_of_dimensions_in(metadata), steps_are_);
        if (store_.is_own && !apart && !is_along) {
            return fail(ErrorCode::protocol,
                        "the array '{}' has no names of dimensions, of which the first one is 'step', as those of "
                        "recordings do",
                        base::printable(path));
        }
        auto described = decode(apart ? path.substr(slash + 1) : path, metadata, !apart && is_along);
        if (!described) {
            return fail(std::move(described));
        }
        ArrayNode& array = described->array;
        if (keys_.value_or(described->keys) != described->keys) {
            return fail(ErrorCode::protocol, "the array '{}' names its files otherwise than others do",
                        base::printable(path));
        }
        keys_ = store_.keys = described->keys;
        const auto checked = store_.is_own ? check(array.info) : check_name_of_others(array.info.name);
        if (!checked && path != numbers_name) {  // it may lead anywhere
            return fail(ErrorCode::protocol, "{}", checked.error().message);
        }
        if (store_.is_own) {
            array.fill.reset();  // a recorder leaves no chunk out
        }
        std::int64_t& chunks = chunks_[apart];
        chunks += chunks_of_step(array.grid, array.info.shape);
        if (chunks > most_chunks_of_step) {
            return fail(ErrorCode::protocol, "the arrays of a step, among them '{}', have more chunks than can be",
                        base::printable(path));
        }
        if (!is_along || apart) {
            (apart ? store_.apart[*apart].arrays : store_.still).push_back(std::move(array));
            return {};
        }
        if (steps_.value_or(described->steps) != described->steps) {
            return fail(ErrorCode::protocol, "the array '{}' has {} steps, and others have {}", base::printable(path),
                        described->steps, *steps_);
        }
        steps_ = described->steps;
        if (path == numbers_name && array.info.dtype == Dtype::i64 && array.info.shape.empty()) {
            store_.numbers_array = std::move(array);
            has_numbers_ = true;
        } else {
            store_.arrays.push_back(std::move(array));
        }
        return {};
    }

    /// What no program has numbered is numbered from 0 on; where nothing lies along steps, all is one.
    base::Result<> take_numbers(bool has_arrays) {
        const std::int64_t steps = steps_.value_or(has_arrays ? 1 : 0);
        if (store_.is_own && (steps > most_recorded || !has_numbers_)) {
            return fail(ErrorCode::protocol, "the array '{}' has no numbers of steps", numbers_name);
        }
        if (!has_numbers_) {
            store_.numbers = numbered_from_zero(steps);
            return {};
        }
        auto numbers = read_numbers(store_, nodes_.at(numbers_name));
        if (!numbers) {
            return fail(std::move(numbers));
        }
        auto checked = check_numbers(*numbers);
        if (store_.is_own || (checked && (numbers->empty() || numbers->front() >= 0))) {
            store_.numbers = *std::move(numbers);
            return checked;
        }
        store_.numbers = numbered_from_zero(steps);  // those are a coordinate like any other
        store_.arrays.push_back(std::move(store_.numbers_array));
        std::ranges::sort(store_.arrays, {}, [](const ArrayNode& array) { return std::string_view(array.info.name); });
        return {};
    }

    Store& store_;
    const std::map<std::string, Attributes>& nodes_;
    std::optional<std::string> steps_are_;
    std::optional<std::int64_t> steps_;
    std::optional<ChunkKeys> keys_;
    std::map<std::optional<std::int64_t>, std::int64_t> chunks_;  // by step, all of those along others in one
    bool has_numbers_ = false;
};

}  // namespace

std::string Store::attributes_file_of(std::int64_t place) { return fmt::format("c.{}", place); }

std::optional<std::int64_t> Store::newest() const { return newest_of(numbers, apart); }

ArrayNode numbers_node() {
    return {.info = {.name = numbers_name, .dtype = Dtype::i64}, .grid = grid_for({}, Dtype::i64)};
}

base::Result<Store> load(const std::string& path) {
    auto nodes = read_nodes(path);
    if (!nodes) {
        return fail(std::move(nodes));
    }
    Store store{.path = path, .attributes = std::move(nodes->attributes), .is_array = nodes->is_array};
    if (auto loaded = Loading(store, nodes->all).load(); !loaded) {
        return fail(loaded.error().code, "'{}' cannot be read as a recording: {}", base::printable(path),
                    loaded.error().message);
    }
    return store;
}

}  // namespace staithe::format::zarr
