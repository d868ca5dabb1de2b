#include "format/zarr/zarr_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/chunk_bytes.hpp"
#include "format/plan.hpp"
#include "format/zarr/chunk_files.hpp"
#include "format/zarr/shards.hpp"
#include "format/zarr/store.hpp"
#include "format/zarr/written_files.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"
#include "transform/parallel.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

/// Metadata by the paths of groups and arrays in the store.
using Nodes = std::map<std::string, Attributes>;

/// What is written of steps lies beyond what the metadata speak of, until all of it is on disk: then the metadata of
/// their arrays are replaced, and last those of the root, by which readers go.
class ZarrWriter final : public RecordingWriter {
  public:
    ZarrWriter(Store store, os::FileDescriptor lock) : store_(std::move(store)), lock_(std::move(lock)) {}

    [[nodiscard]] std::optional<std::int64_t> newest() const override { return store_.newest(); }
    base::Result<> append(const StepToStore& step) override;
    base::Result<> publish() override;
    /// Has all see what the store has; these nodes of it are new.
    base::Result<> write_metadata(const Nodes& changed);
    [[nodiscard]] Nodes nodes_along() const;

  private:
    /// A step that is not published, and what there was before it.
    struct Appended {
        std::int64_t number = 0;
        std::size_t steps = 0;                           // along others
        std::size_t files = 0;                           // that were begun
        std::optional<std::vector<ArrayNode>> arrays{};  // along steps, if it has others
    };

    [[nodiscard]] std::int64_t steps_along() const { return std::ssize(store_.numbers); }
    base::Result<> append_along(const StepToStore& step, std::vector<ArrayNode> arrays, Appended& appended);
    base::Result<> append_apart(const StepToStore& step, std::vector<ArrayNode> arrays);
    base::Result<> write_attributes(const Attributes& attributes);
    base::Result<> write(const std::string& path, const ArrayNode& node, const ArrayToStore& array,
                         std::optional<std::int64_t> place);
    base::Result<> write_draft(const std::string& folder, const std::string& metadata);
    [[nodiscard]] Nodes nodes_apart(std::int64_t step) const;
    base::Result<> lose_last(std::int64_t last, const base::Failure& why);
    void go_back_before(Appended step);

    Store store_;
    const os::FileDescriptor lock_;
    std::vector<Appended> appended_;
    bool is_broken_ = false;  // metadata were being put in place, and the disk may have them or not
    ChunkBytes bytes_;
    WrittenFiles files_;
};

base::Result<> ZarrWriter::write(const std::string& path, const ArrayNode& node, const ArrayToStore& array,
                                 std::optional<std::int64_t> place) {
    const ArrayInfo& info = node.info;
    const std::string folder = store_.folder_of(path);
    if (auto made = os::make_kept_directory(folder); !made) {
        return made;
    }
    const std::vector<Chunk> chunks = chunks_of(node.grid, info.shape, info.dtype, place, own_keys);
    std::vector<Box> boxes;
    std::ranges::transform(chunks, std::back_inserter(boxes), &Chunk::box);
    ShardIndex shard;
    auto written = bytes_.store_all(boxes, node, array, [&](std::size_t number, const BytesToStore& bytes) {
        const Chunk& chunk = chunks[number];
        // What lies beyond the array, and steps to come included.
        const std::int64_t size =
            node.packing != Packing::none ? std::ssize(bytes.bytes) : bytes_of(node.grid, info.dtype);
        const std::int64_t offset = chunk.in_shard ? shard.append(size) : chunk.offset;
        return files_.write({folder, chunk.name, offset, chunk.in_shard ? 0 : size}, bytes);
    });
    if (!written || !node.grid.shard) {
        return written;
    }
    const std::vector<std::byte> index = shard.encode();
    return files_.write({folder, chunks.front().name, shard.end()}, index);
}

base::Result<> ZarrWriter::write_attributes(const Attributes& attributes) {
    const std::string folder = store_.folder_of(attributes_name), name = Store::attributes_file_of(steps_along());
    if (attributes.empty()) {
        os::remove_file(folder + "/" + name);  // of a step that failed
        return {};
    }
    const std::string content = encode_attributes(attributes);
    return files_.write({folder, name}, std::as_bytes(std::span(content)));
}

/// Chunks of a step are a shard each, so that files do not become many.
void put_in_shards(std::vector<ArrayNode>& arrays) {
    for (ArrayNode& array : arrays) {
        array.grid.shard = shard_of_step(array.grid, array.info.shape);
    }
}

/// Units and attributes of variables are those of the newest step.
base::Result<> ZarrWriter::append_along(const StepToStore& step, std::vector<ArrayNode> arrays, Appended& appended) {
    if (steps_along() == 0) {
        put_in_shards(arrays);
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
    if (written) {
        appended.arrays = std::exchange(store_.arrays, std::move(arrays));
        store_.numbers.push_back(step.number);
    }
    return written;
}

base::Result<> ZarrWriter::append_apart(const StepToStore& step, std::vector<ArrayNode> arrays) {
    put_in_shards(arrays);
    for (const ArrayNode& array : arrays) {
        const std::string& name = array.info.name;
        if (auto written = write(path_of(step.number, name), array, array_of(step, name), std::nullopt); !written) {
            return written;
        }
    }
    store_.apart.emplace(step.number, StepApart{step.attributes, std::move(arrays)});
    return {};
}

base::Result<> ZarrWriter::append(const StepToStore& step) {
    if (is_broken_) {
        return not_stored(store_.path, step.number, step.number, nothing_more_is_stored().value());
    }
    if (appended_.empty()) {
        files_.forget();  // what became of a step that failed
    }
    auto planned = plan(step, {store_.path, newest(), store_.arrays, steps_along() > 0});
    if (!planned) {
        return not_stored(store_.path, step.number, step.number, planned.error());
    }
    Appended appended{step.number, store_.numbers.size(), files_.begun()};
    const auto done = transform::guarded([&] {
        return planned->lies_along ? append_along(step, std::move(planned->arrays), appended)
                                   : append_apart(step, std::move(planned->arrays));
    });
    const auto written = done ? files_.steps().next_step() : base::Result<>();
    if (done && written) {
        appended_.push_back(std::move(appended));
        return {};
    }
    files_.steps().abandon_step();
    go_back_before(std::move(appended));
    return done ? lose_last(step.number, written.error())
                : not_stored(store_.path, step.number, step.number, done.error());
}

/// The disk may be full: what was written since is room for the metadata of steps before.
void ZarrWriter::go_back_before(Appended step) {
    store_.apart.erase(step.number);
    store_.numbers.resize(step.steps);
    if (step.arrays) {
        store_.arrays = *std::move(step.arrays);
    }
    files_.give_back(step.files);
}

/// The last step that was appended could not be written, and those up to `last` are lost with it.
base::Result<> ZarrWriter::lose_last(std::int64_t last, const base::Failure& why) {
    Appended lost = std::move(appended_.back());
    appended_.pop_back();
    const std::int64_t first = lost.number;
    go_back_before(std::move(lost));
    return not_stored(store_.path, first, last, why);
}

base::Result<> ZarrWriter::publish() {
    if (appended_.empty()) {
        return {};
    }
    const std::int64_t last = appended_.back().number;
    const auto written = files_.steps().finish();
    auto settled = written ? base::Result<>() : lose_last(last, written.error());
    if (appended_.empty()) {
        return settled;
    }
    Nodes changed = store_.numbers.size() > appended_.front().steps ? nodes_along() : Nodes();
    for (const Appended& step : appended_) {
        if (store_.apart.contains(step.number)) {
            changed.merge(nodes_apart(step.number));
        }
    }
    if (const auto done = write_metadata(changed); !done) {
        const std::int64_t first = appended_.front().number;
        if (is_broken_) {
            return maybe_stored(store_.path, first, last, done.error());
        }
        for (; !appended_.empty(); appended_.pop_back()) {
            go_back_before(std::move(appended_.back()));
        }
        files_.forget();
        return not_stored(store_.path, first, last, done.error());
    }
    appended_.clear();
    files_.keep();
    return settled;
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

/// First all drafts are on disk, for which there may be no room; then they are put in place. Files of a kind are
/// written one after another, and then each is synchronised: a file system does most of that work once.
base::Result<> ZarrWriter::write_metadata(const Nodes& changed) {
    Nodes all = nodes_along();
    for (const auto& [number, step] : store_.apart) {
        all.merge(nodes_apart(number));
    }
    const std::string root = base::to_json(encode_root(store_.attributes, all));
    if (root.size() > most_metadata) {
        return fail(ErrorCode::limit_reached,
                    "a store has at most {} MiB of metadata, so that it can be read: record fewer steps into each, or "
                    "variables that keep their shape, which take less",
                    most_metadata >> 20);
    }
    auto done = write_draft(store_.path, root);
    for (const auto& [path, metadata] : changed) {
        done = done ? write_draft(store_.folder_of(path), base::to_json(metadata)) : std::move(done);
    }
    done = done ? files_.synchronise() : std::move(done);
    is_broken_ = done.has_value();  // until all is done
    for (const auto& [path, metadata] : changed) {
        done = done ? files_.put_in_place(store_.folder_of(path), metadata_name) : std::move(done);
    }
    done = done ? files_.synchronise() : std::move(done);
    done = done ? files_.put_in_place(store_.path, metadata_name) : std::move(done);
    done = done ? files_.synchronise() : std::move(done);
    is_broken_ = is_broken_ && !done;
    return done;
}

base::Result<> ZarrWriter::write_draft(const std::string& folder, const std::string& metadata) {
    auto made = os::make_kept_directory(folder);
    return made ? files_.write({folder, os::draft_of(metadata_name)}, std::as_bytes(std::span(metadata)))
                : std::move(made);
}

/// All files of an array lie in its folder, and of none a part is compressed anew, or a shard made larger.
bool can_go_on(const Store& store) {
    const bool has_numbers = store.numbers_array.packing == Packing::none && !store.numbers_array.grid.shard;
    return store.is_own && has_numbers && store.keys == own_keys && store.still.empty() &&
           std::ranges::all_of(store.arrays, [](const ArrayNode& array) {
               const auto& shard = array.grid.shard;
               return array.packing != Packing::coded && is_readable(array.grid, array.info.shape) &&
                      (array.packing == Packing::none || array.grid.steps == 1) &&
                      (!shard || shard == shard_of_step(array.grid, array.info.shape));
           });
}

/// Nothing but what a writer makes before the root's metadata: it was killed meanwhile.
bool has_nothing_yet(const std::vector<std::string>& names) {
    const std::set<std::string> made{numbers_name, attributes_name, os::draft_of(metadata_name)};
    return std::ranges::all_of(names, [&](const std::string& name) { return made.contains(name); });
}

}  // namespace

base::Result<std::unique_ptr<RecordingWriter>> create(const std::string& path, const Attributes& attributes,
                                                      bool resume) {
    if (auto made = os::make_durable_directory(path); !made) {
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
    const auto names = os::read_directory(path);
    if (!names) {
        return fail(names);
    }
    if (!names->empty()) {
        if (!resume) {
            return fail(ErrorCode::already_exists,
                        "there is something in '{}' already: choose another name, remove it, or go on with it "
                        "(resume)",
                        base::printable(path));
        }
        auto there = load(path);
        const bool is_begun = !there && there.error().code == ErrorCode::not_found && has_nothing_yet(*names);
        if (!there && !is_begun) {
            return fail(std::move(there));
        }
        if (there && !can_go_on(*there)) {
            return fail(ErrorCode::invalid_argument,
                        "'{}' was written by another program: it is no recording, or calls files of chunks otherwise, "
                        "or has other shards, or several steps in a chunk that is compressed: choose another name",
                        base::printable(path));
        }
        if (there) {
            there->attributes = attributes;
            store = *std::move(there);
        }
    }
    auto writer = std::make_unique<ZarrWriter>(std::move(store), *std::move(lock));
    if (auto published = writer->write_metadata(writer->nodes_along()); !published) {
        return fail(std::move(published));
    }
    return writer;
}

}  // namespace staithe::format::zarr
