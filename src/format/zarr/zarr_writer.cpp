#include "format/zarr/zarr_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "array/overlap.hpp"
#include "base/deadline.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/zarr/store.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

/// One step after another. What is written of a step lies beyond what the metadata speak of, until all of it is on
/// disk: then the metadata of each array are replaced, and last those of the root, by which readers go.
class ZarrWriter final : public RecordingWriter {
  public:
    ZarrWriter(Store store, os::FileDescriptor lock) : store_(std::move(store)), lock_(std::move(lock)) {}

    [[nodiscard]] std::optional<std::int64_t> newest() const override {
        return store_.numbers.empty() ? std::nullopt : std::optional(store_.numbers.back());
    }
    base::Result<> append(const StepToStore& step) override;
    /// Says how many steps there are, and in which arrays.
    base::Result<> publish();

  private:
    [[nodiscard]] std::int64_t steps() const { return std::ssize(store_.numbers); }
    base::Result<> take_shape_of(const StepToStore& step);
    base::Result<> write(const StepToStore& step);
    base::Result<> write(const ArrayNode& node, std::span<const ArrayPart> parts);
    base::Result<> write_chunk(const std::string& path, const ArrayNode& node, const Chunk& chunk,
                               std::span<const ArrayPart> parts);
    [[nodiscard]] std::map<std::string, Attributes> nodes() const;

    Store store_;
    const os::FileDescriptor lock_;
    std::vector<std::byte> gathered_;  // a chunk that is put together from parts
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

bool are_alike(const ArrayInfo& a, const ArrayInfo& b) {
    return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape;
}

/// Zarr has no arrays in arrays.
base::Result<> check_nesting(std::span<const ArrayNode> arrays) {
    std::set<std::string> names{numbers_name, texts_name};
    for (const ArrayNode& array : arrays) {
        names.insert(array.info.name);
    }
    for (const std::string& name : names) {
        for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
            if (names.contains(name.substr(0, slash))) {
                return fail(ErrorCode::invalid_argument,
                            "'{}' lies in '{}', which is a variable or an array of all steps: a Zarr file can have "
                            "only one of them",
                            base::printable(name), base::printable(name.substr(0, slash)));
            }
        }
    }
    return {};
}

std::string shown(const ArrayInfo& info) {
    return fmt::format("'{}' as {} of shape {}", base::printable(info.name), name_of(info.dtype),
                       to_string(info.shape));
}

/// The first step says which variables there are; units and attributes are those of the newest.
base::Result<> ZarrWriter::take_shape_of(const StepToStore& step) {
    std::vector<ArrayNode> arrays;
    for (const ArrayToStore& array : step.arrays) {
        auto checked = check(array.info);
        checked = checked ? check_parts(array) : std::move(checked);
        if (!checked) {
            return checked;
        }
        arrays.push_back({.info = array.info, .grid = grid_for(array.info.shape, array.info.dtype)});
    }
    std::ranges::sort(arrays, {}, [](const ArrayNode& node) -> const std::string& { return node.info.name; });
    if (steps() == 0) {
        if (auto checked = check_nesting(arrays); !checked) {
            return checked;
        }
        store_.arrays = std::move(arrays);
        return {};
    }
    const auto [now, before] =
        std::ranges::mismatch(arrays, store_.arrays, are_alike, &ArrayNode::info, &ArrayNode::info);
    if (now != arrays.end() || before != store_.arrays.end()) {
        return fail(ErrorCode::invalid_argument,
                    "step {} has {}, and the steps before it {}: all steps of a Zarr file are alike; record it to "
                    "another one",
                    step.number, now == arrays.end() ? "nothing more" : shown(now->info),
                    before == store_.arrays.end() ? "have nothing more" : "have " + shown(before->info));
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        store_.arrays[i].info = std::move(arrays[i].info);
    }
    return {};
}

/// The part that has all of it.
const ArrayPart* only_part(const Box& box, std::span<const ArrayPart> parts) {
    const auto found = std::ranges::find_if(parts, [&](const ArrayPart& part) { return contains(part.box, box); });
    return found == parts.end() ? nullptr : &*found;
}

base::Result<> ZarrWriter::write_chunk(const std::string& path, const ArrayNode& node, const Chunk& chunk,
                                       std::span<const ArrayPart> parts) {
    const Dtype dtype = node.info.dtype;
    const auto bytes = static_cast<std::size_t>(size_in_bytes(chunk.box.count, dtype).value_or(0));
    const Selection wanted(chunk.box);
    const ArrayPart* const whole = only_part(chunk.box, parts);
    const ArrayView in_place =
        whole == nullptr ? ArrayView() : slice(whole->elements, array::overlap(whole->box, wanted)->source);
    const void* data = in_place.data;
    if (whole == nullptr || !is_row_major(in_place)) {
        gathered_.resize(bytes);
        const auto destination = MutableArrayView::row_major(gathered_.data(), dtype, chunk.box.count);
        for (const ArrayPart& part : parts) {
            if (const auto common = array::overlap(part.box, wanted)) {
                array::copy(*common, destination, part.elements);
            }
        }
        data = gathered_.data();
    }
    const auto file = os::open_kept_file(path);
    auto done = file ? os::write_at(*file, chunk.offset, {static_cast<const std::byte*>(data), bytes}) : fail(file);
    if (done && chunk.offset == 0) {  // all of a chunk is there, what lies beyond the array and steps to come included
        done = os::cut(*file, bytes_of(node.grid, dtype));
    }
    return done ? os::sync(*file) : done;
}

base::Result<> ZarrWriter::write(const ArrayNode& node, std::span<const ArrayPart> parts) {
    const ArrayInfo& info = node.info;
    const std::string folder = store_.folder_of(info.name);
    if (auto made = os::make_kept_directory(folder); !made) {
        return made;
    }
    for (const Chunk& chunk : chunks_of(node.grid, info.shape, info.dtype, steps(), node.separator)) {
        const std::string path = store_.file_of(info.name, chunk.name);
        if (auto written = write_chunk(path, node, chunk, parts); !written) {
            return fail(written.error().code, "{}: {}", path, written.error().message);
        }
    }
    return os::sync_directory(folder);
}

base::Result<> ZarrWriter::write(const StepToStore& step) {
    for (const ArrayToStore& array : step.arrays) {
        const auto node = std::ranges::find(store_.arrays, array.info.name,
                                            [](const ArrayNode& each) -> const std::string& { return each.info.name; });
        if (auto written = write(*node, array.parts); !written) {
            return written;
        }
    }
    const ArrayPart number{{}, ArrayView::row_major(&step.number, Dtype::i64, {})};
    if (auto written = write(numbers_node(), std::span(&number, 1)); !written) {
        return written;
    }
    const std::string texts = store_.texts_file_of(steps());
    if (step.attributes.empty()) {
        os::remove_file(texts);  // of a step that failed
        return {};
    }
    auto written = os::make_kept_directory(store_.folder_of(texts_name));
    written = written ? os::replace_kept_file(texts, encode_attributes(step.attributes)) : std::move(written);
    return written ? os::sync_directory(store_.folder_of(texts_name)) : std::move(written);
}

std::map<std::string, Attributes> ZarrWriter::nodes() const {
    std::map<std::string, Attributes> nodes{{numbers_name, encode(numbers_node(), steps())},
                                            {texts_name, encode_texts(steps())}};
    for (const ArrayNode& array : store_.arrays) {
        const std::string& name = array.info.name;
        nodes.emplace(name, encode(array, steps()));
        for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
            nodes.emplace(name.substr(0, slash), encode_group({}));
        }
    }
    return nodes;
}

base::Result<> ZarrWriter::publish() {
    const auto all = nodes();
    const auto replace = [](const std::string& folder, const Attributes& metadata) {
        auto done = os::make_kept_directory(folder);
        done = done ? os::replace_kept_file(folder + "/" + metadata_name, base::to_json(metadata)) : std::move(done);
        return done ? os::sync_directory(folder) : std::move(done);
    };
    for (const auto& [name, metadata] : all) {
        if (auto done = replace(store_.folder_of(name), metadata); !done) {
            return done;
        }
    }
    return replace(store_.path, encode_root(store_.attributes, all));
}

base::Result<> ZarrWriter::append(const StepToStore& step) {
    if (newest() && step.number <= *newest()) {
        return fail(ErrorCode::invalid_argument, "'{}' has step {} already: step {} cannot follow it",
                    base::printable(store_.path), *newest(), step.number);
    }
    const std::vector<ArrayNode> before = store_.arrays;
    const std::size_t there = store_.numbers.size();
    auto done = take_shape_of(step);
    done = done ? write(step) : std::move(done);
    if (done) {
        store_.numbers.push_back(step.number);
        done = publish();
    }
    if (!done) {
        store_.arrays = before;
        store_.numbers.resize(there);
        return fail(done.error().code, "step {} is not in '{}': {}", step.number, base::printable(store_.path),
                    done.error().message);
    }
    return {};
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
        if (!there) {
            return fail(std::move(there));
        }
        there->attributes = attributes;
        store = *std::move(there);
    }
    auto writer = std::make_unique<ZarrWriter>(std::move(store), *std::move(lock));
    if (auto published = writer->publish(); !published) {
        return fail(std::move(published));
    }
    return writer;
}

}  // namespace staithe::format::zarr
