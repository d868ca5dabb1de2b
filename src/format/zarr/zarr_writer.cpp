#include "format/zarr/zarr_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "array/overlap.hpp"
#include "base/deadline.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/zarr/blosc.hpp"
#include "format/zarr/store.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

/// Metadata by the paths of groups and arrays in the store.
using Nodes = std::map<std::string, Attributes>;

/// One step after another. What is written of a step lies beyond what the metadata speak of, until all of it is on
/// disk: then the metadata of its arrays are replaced, and last those of the root, by which readers go.
class ZarrWriter final : public RecordingWriter {
  public:
    ZarrWriter(Store store, os::FileDescriptor lock) : store_(std::move(store)), lock_(std::move(lock)) {}

    [[nodiscard]] std::optional<std::int64_t> newest() const override { return store_.newest(); }
    base::Result<> append(const StepToStore& step) override;
    /// Has all see what the store has; these nodes of it are new.
    base::Result<> publish(const Nodes& changed);
    [[nodiscard]] Nodes nodes_along() const;

  private:
    [[nodiscard]] std::int64_t steps_along() const { return std::ssize(store_.numbers); }
    base::Result<> append_along(const StepToStore& step, std::vector<ArrayNode> arrays);
    base::Result<> append_apart(const StepToStore& step, std::vector<ArrayNode> arrays);
    base::Result<> write_attributes(const Attributes& attributes);
    base::Result<> write(const std::string& path, const ArrayNode& node, const ArrayToStore& array,
                         std::optional<std::int64_t> place);
    base::Result<> write_chunk(const std::string& path, const ArrayNode& node, const Chunk& chunk,
                               const ArrayToStore& array);
    std::span<const std::byte> gather(const Chunk& chunk, const ArrayNode& node, const ArrayToStore& array);
    [[nodiscard]] Nodes nodes_apart(std::int64_t step) const;

    Store store_;
    const os::FileDescriptor lock_;
    std::vector<std::byte> gathered_;  // a chunk that is put together from parts, or rounded
    std::vector<std::byte> packed_;    // and compressed
};

base::Result<> check_parts(const ArrayToStore& array) {
    const ArrayInfo& info = array.info;
    std::int64_t elements = 0;
    for (const ArrayPart& part : array.parts) {
        elements += volume(part.box.count).value_or(0);
    }
    const std::int64_t all = volume(info.shape).value_or(0);
    return elements == all ? base::Result<>()
                           : fail(ErrorCode::invalid_argument,
                                  "nobody has put {} of the {} elements of '{}', and a file has no way to say so: put "
                                  "all of it",
                                  all - elements, all, base::printable(info.name));
}

/// Calls visit(path) for each group that the path of an array names.
template <class Visit>
void for_each_group(const std::string& path, const Visit& visit) {
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        visit(path.substr(0, slash));
    }
}

/// Zarr has no arrays in arrays.
base::Result<> check_nesting(std::span<const ArrayNode> arrays) {
    std::set<std::string> names{numbers_name, attributes_name};
    for (const ArrayNode& array : arrays) {
        names.insert(array.info.name);
    }
    base::Result<> checked;
    for (const ArrayNode& array : arrays) {
        for_each_group(array.info.name, [&](const std::string& group) {
            if (names.contains(group)) {
                checked = fail(ErrorCode::invalid_argument,
                               "'{}' lies in '{}', which is a variable or an array of all steps: a Zarr file can have "
                               "only one of them",
                               base::printable(array.info.name), base::printable(group));
            }
        });
    }
    return checked;
}

/// Of an array that was rounded: how far.
constexpr const char* error_attribute = "error";

/// As it is kept.
ArrayNode node_of(const ArrayToStore& array, bool lies_along_steps) {
    const ArrayInfo& info = array.info;
    if (const auto packed = array.round ? packed_grid_for(info.shape, info.dtype) : std::nullopt) {
        ArrayNode node{.info = info, .grid = *packed, .is_packed = true};
        node.info.attributes[error_attribute] = array.error;
        return node;
    }
    return {.info = info, .grid = grid_for(info.shape, info.dtype, lies_along_steps)};
}

/// As they are kept, by name.
base::Result<std::vector<ArrayNode>> arrays_of(const StepToStore& step) {
    std::vector<ArrayNode> arrays;
    for (const ArrayToStore& array : step.arrays) {
        auto checked = check(array.info);
        checked = checked ? check_parts(array) : std::move(checked);
        if (!checked) {
            return fail(std::move(checked));
        }
        arrays.push_back(node_of(array, true));
    }
    if (auto checked = check_nesting(arrays); !checked) {
        return fail(std::move(checked));
    }
    std::ranges::sort(arrays, {}, [](const ArrayNode& node) -> const std::string& { return node.info.name; });
    return arrays;
}

bool are_alike(const ArrayNode& a, const ArrayNode& b) {
    return a.info.name == b.info.name && a.info.dtype == b.info.dtype && a.info.shape == b.info.shape;
}

const ArrayToStore& array_of(const StepToStore& step, const std::string& name) {
    return *std::ranges::find(step.arrays, name,
                              [](const ArrayToStore& each) -> const std::string& { return each.info.name; });
}

/// The part that has all of it.
const ArrayPart* only_part(const Box& box, std::span<const ArrayPart> parts) {
    const auto found = std::ranges::find_if(parts, [&](const ArrayPart& part) { return contains(part.box, box); });
    return found == parts.end() ? nullptr : &*found;
}

/// Its elements in C order, rounded: where they lie, if that is how they are to be stored, or put together.
std::span<const std::byte> ZarrWriter::gather(const Chunk& chunk, const ArrayNode& node, const ArrayToStore& array) {
    const Dtype dtype = node.info.dtype;
    const bool is_rounded = node.is_packed && array.round;
    const auto bytes = static_cast<std::size_t>(size_in_bytes(chunk.box.count, dtype).value_or(0));
    const Selection wanted(chunk.box);
    const ArrayPart* const whole = only_part(chunk.box, array.parts);
    if (whole != nullptr && !is_rounded) {
        const ArrayView in_place = slice(whole->elements, array::overlap(whole->box, wanted)->source);
        if (is_row_major(in_place)) {
            return {static_cast<const std::byte*>(in_place.data), bytes};
        }
    }
    gathered_.resize(bytes);
    const auto destination = MutableArrayView::row_major(gathered_.data(), dtype, chunk.box.count);
    for (const ArrayPart& part : array.parts) {
        if (const auto common = array::overlap(part.box, wanted)) {
            array::copy(*common, destination, part.elements);
        }
    }
    if (is_rounded) {
        array.round(destination);
    }
    return gathered_;
}

base::Result<> ZarrWriter::write_chunk(const std::string& path, const ArrayNode& node, const Chunk& chunk,
                                       const ArrayToStore& array) {
    const Dtype dtype = node.info.dtype;
    std::span<const std::byte> stored = gather(chunk, node, array);
    std::int64_t size = bytes_of(node.grid, dtype);  // what lies beyond the array and steps to come included
    if (node.is_packed) {
        if (stored.data() != gathered_.data()) {
            gathered_.assign(stored.begin(), stored.end());
        }
        gathered_.resize(static_cast<std::size_t>(size));
        if (auto packed = pack(gathered_, size_of(dtype), packed_); !packed) {
            return packed;
        }
        stored = packed_;
        size = std::ssize(packed_);
    }
    const auto file = os::open_kept_file(path);
    auto done = file ? os::write_at(*file, chunk.offset, stored) : fail(file);
    if (done && chunk.offset == 0) {
        done = os::cut(*file, size);
    }
    return done ? os::sync(*file) : done;
}

base::Result<> ZarrWriter::write(const std::string& path, const ArrayNode& node, const ArrayToStore& array,
                                 std::optional<std::int64_t> place) {
    const ArrayInfo& info = node.info;
    const std::string folder = store_.folder_of(path);
    if (auto made = os::make_kept_directory(folder); !made) {
        return made;
    }
    for (const Chunk& chunk : chunks_of(node.grid, info.shape, info.dtype, place, node.separator)) {
        const std::string file = folder + "/" + chunk.name;
        if (auto written = write_chunk(file, node, chunk, array); !written) {
            return fail(written.error().code, "{}: {}", file, written.error().message);
        }
    }
    return os::sync_directory(folder);
}

base::Result<> ZarrWriter::write_attributes(const Attributes& attributes) {
    const std::string file = store_.attributes_file_of(steps_along());
    if (attributes.empty()) {
        os::remove_file(file);  // of a step that failed
        return {};
    }
    auto written = os::replace_kept_file(file, encode_attributes(attributes));
    return written ? os::sync_directory(store_.folder_of(attributes_name)) : std::move(written);
}

std::string error_of(const ArrayNode& array) {
    return base::text_field(array.info.attributes, error_attribute).value_or("exact");
}

/// Else what the array says of its elements would be true of some alone.
base::Result<> check_errors(const std::vector<ArrayNode>& before, const std::vector<ArrayNode>& now) {
    for (std::size_t i = 0; i < now.size(); ++i) {
        const std::string there = error_of(before[i]), here = error_of(now[i]);
        if ((before[i].is_packed || now[i].is_packed) && there != here) {
            return fail(ErrorCode::invalid_argument,
                        "'{}' has an error of {} there, and {} now: go on with that of before, or in another file",
                        base::printable(now[i].info.name), base::printable(there), base::printable(here));
        }
    }
    return {};
}

/// Units and attributes of variables are those of the newest step.
base::Result<> ZarrWriter::append_along(const StepToStore& step, std::vector<ArrayNode> arrays) {
    if (steps_along() > 0) {  // cut as they were, whoever has cut them
        if (auto checked = check_errors(store_.arrays, arrays); !checked) {
            return checked;
        }
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            arrays[i].grid = store_.arrays[i].grid;
            arrays[i].is_packed = store_.arrays[i].is_packed;
        }
    }
    for (const ArrayNode& array : arrays) {
        const std::string& name = array.info.name;
        if (auto written = write(name, array, array_of(step, name), steps_along()); !written) {
            return written;
        }
    }
    const ArrayToStore number{{.info = {}, .parts = {{{}, ArrayView::row_major(&step.number, Dtype::i64, {})}}}};
    auto written = write(numbers_name, store_.numbers_array, number, steps_along());
    written = written ? write_attributes(step.attributes) : std::move(written);
    if (!written) {
        return written;
    }
    std::swap(store_.arrays, arrays);
    store_.numbers.push_back(step.number);
    auto published = publish(nodes_along());
    if (!published) {
        std::swap(store_.arrays, arrays);
        store_.numbers.pop_back();
    }
    return published;
}

base::Result<> ZarrWriter::append_apart(const StepToStore& step, std::vector<ArrayNode> arrays) {
    for (ArrayNode& node : arrays) {
        const std::string& name = node.info.name;
        const ArrayToStore& array = array_of(step, name);
        node = node_of(array, false);
        if (auto written = write(path_of(step.number, name), node, array, std::nullopt); !written) {
            return written;
        }
    }
    store_.apart.emplace(step.number, StepApart{step.attributes, std::move(arrays)});
    auto published = publish(nodes_apart(step.number));
    if (!published) {
        store_.apart.erase(step.number);
    }
    return published;
}

base::Result<> ZarrWriter::append(const StepToStore& step) {
    if (newest() && step.number <= *newest()) {
        return fail(ErrorCode::invalid_argument, "'{}' has step {} already: step {} cannot follow it",
                    base::printable(store_.path), *newest(), step.number);
    }
    auto arrays = arrays_of(step);
    const bool is_along = arrays && (!newest() || std::ranges::equal(*arrays, store_.arrays, are_alike));
    const auto done = !arrays    ? fail(arrays)
                      : is_along ? append_along(step, *std::move(arrays))
                                 : append_apart(step, *std::move(arrays));
    return done ? done
                : fail(done.error().code, "step {} is not in '{}': {}", step.number, base::printable(store_.path),
                       done.error().message);
}

Nodes ZarrWriter::nodes_along() const {
    Nodes nodes{{numbers_name, encode(store_.numbers_array, steps_along())},
                {attributes_name, encode_texts(steps_along())}};
    for (const ArrayNode& array : store_.arrays) {
        nodes.emplace(array.info.name, encode(array, steps_along()));
        for_each_group(array.info.name, [&](const std::string& group) { nodes.emplace(group, encode_group({})); });
    }
    return nodes;
}

Nodes ZarrWriter::nodes_apart(std::int64_t step) const {
    const StepApart& apart = store_.apart.at(step);
    Nodes nodes{{group_of(step), encode_group(apart.attributes)}};
    for (const ArrayNode& array : apart.arrays) {
        const std::string path = path_of(step, array.info.name);
        nodes.emplace(path, encode(array, std::nullopt));
        for_each_group(path, [&](const std::string& group) { nodes.emplace(group, encode_group({})); });
    }
    return nodes;
}

base::Result<> ZarrWriter::publish(const Nodes& changed) {
    const auto replace = [](const std::string& folder, const Attributes& metadata) {
        auto done = os::make_kept_directory(folder);
        done = done ? os::replace_kept_file(folder + "/" + metadata_name, base::to_json(metadata)) : std::move(done);
        return done ? os::sync_directory(folder) : std::move(done);
    };
    for (const auto& [path, metadata] : changed) {
        if (auto done = replace(store_.folder_of(path), metadata); !done) {
            return done;
        }
    }
    Nodes all = nodes_along();
    for (const auto& [number, step] : store_.apart) {
        all.merge(nodes_apart(number));
    }
    return replace(store_.path, encode_root(store_.attributes, all));
}

/// All files of an array lie in its folder, and of none a part is compressed anew.
bool can_go_on(const Store& store) {
    const auto is_like_ours = [](const ArrayNode& array) {
        return array.separator == numbers_node().separator && (!array.is_packed || array.grid.steps == 1);
    };
    return is_like_ours(store.numbers_array) && std::ranges::all_of(store.arrays, is_like_ours);
}

/// Nothing but what a writer makes before the root's metadata: it was killed meanwhile.
bool has_nothing_yet(const std::string& path) {
    const std::set<std::string> made{numbers_name, attributes_name, os::draft_of(metadata_name)};
    return std::ranges::all_of(os::list_directory(path), [&](const std::string& name) { return made.contains(name); });
}

}  // namespace

base::Result<std::unique_ptr<RecordingWriter>> create(const std::string& path, const Attributes& attributes,
                                                      bool resume) {
    if (auto made = os::make_kept_directory(path); !made) {
        return fail(std::move(made));
    }
    auto lock = os::lock_directory(path, base::Deadline(base::Seconds(0)));
    if (!lock) {
        return lock.error().code == ErrorCode::timeout
                   ? fail(ErrorCode::already_exists, "another recorder writes to '{}': choose another name",
                          base::printable(path))
                   : fail(std::move(lock));
    }
    Store store{.path = path, .attributes = attributes};
    if (!os::list_directory(path).empty()) {
        if (!resume) {
            return fail(ErrorCode::already_exists,
                        "there is something in '{}' already: choose another name, remove it, or go on with it "
                        "(resume)",
                        base::printable(path));
        }
        auto there = load(path);
        const bool is_begun = !there && there.error().code == ErrorCode::not_found && has_nothing_yet(path);
        if (!there && !is_begun) {
            return fail(std::move(there));
        }
        if (there && !can_go_on(*there)) {
            return fail(ErrorCode::invalid_argument,
                        "'{}' was written by another program, which calls files of chunks otherwise, or has several "
                        "steps in one that is compressed: choose another name",
                        base::printable(path));
        }
        if (there) {
            there->attributes = attributes;
            store = *std::move(there);
        }
    }
    auto writer = std::make_unique<ZarrWriter>(std::move(store), *std::move(lock));
    if (auto published = writer->publish(writer->nodes_along()); !published) {
        return fail(std::move(published));
    }
    return writer;
}

}  // namespace staithe::format::zarr
