#include "format/hdf5/hdf5_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "format/chunk_bytes.hpp"
#include "format/conventions.hpp"
#include "format/hdf5/attributes.hpp"
#include "format/hdf5/file_writes.hpp"
#include "format/hdf5/headers.hpp"
#include "format/hdf5/store.hpp"
#include "format/hdf5/texts.hpp"
#include "format/hdf5/writer_state.hpp"
#include "format/plan.hpp"
#include "os/direct_writes.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"
#include "transform/parallel.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// Of steps first all elements are written, then all headers anew, behind the end that the superblock names. When the
/// disk has them the superblock is replaced. So a reader, who goes by the superblock, finds a file that never changes.
class Hdf5Writer final : public RecordingWriter {
  public:
    Hdf5Writer(std::string path, os::FileDescriptor file, WriterState state)
        : path_(std::move(path)),
          published_(std::move(state)),
          appended_(published_),
          file_(std::move(file), published_.end) {}

    [[nodiscard]] std::optional<std::int64_t> newest() const override { return appended_.newest; }
    base::Result<> append(const StepToStore& step) override;
    base::Result<> publish() override;
    /// Has the file say what the stream says of itself.
    base::Result<> begin(const Attributes& attributes);

  private:
    base::Result<> append_along(WriterState& next, const StepToStore& step, std::vector<ArrayNode> arrays);
    base::Result<> append_apart(WriterState& next, const StepToStore& step, std::vector<ArrayNode> arrays);
    base::Result<> write(WriterState& next, Growing& array, const ArrayToStore& elements,
                         std::optional<std::int64_t> place);
    base::Result<> write(WriterState& next, const Tail& tail);
    static Address place_chunk(WriterState& next, Growing& array, std::optional<std::int64_t> place, const Box& box,
                               std::size_t stored_bytes);
    base::Result<> write_attributes(WriterState& next, const Attributes& attributes, std::int64_t place);
    base::Result<> write_headers();
    base::Result<> lose_last(std::int64_t last, const base::Failure& why);
    void give_back();
    [[nodiscard]] std::vector<ArrayNode> nodes_along() const;

    const std::string path_;
    WriterState published_;
    WriterState appended_;            // the same, and what was written since, of which the last step may not be yet:
    WriterState written_;             // before that one
    std::int64_t first_waiting_ = 0;  // step that was appended since
    bool is_broken_ = false;          // a superblock was written, and the disk may have it or not
    ChunkBytes bytes_;
    FileWrites file_;
};

/// Those of a step that lies along others are a text, whatever they are.
base::Result<> check_attributes(const StepToStore& step, bool lies_along) {
    if (auto checked = lies_along ? base::Result<>() : check(step.attributes); !checked) {
        return checked;
    }
    for (const ArrayToStore& array : step.arrays) {
        if (auto checked = check(array.info.attributes); !checked) {
            return checked;
        }
    }
    return {};
}

// Elements -----------------------------------------------------------------------------------------------------------

/// Where a chunk lies: a new one behind all else, or, of those with several steps, where it began.
Address Hdf5Writer::place_chunk(WriterState& next, Growing& array, std::optional<std::int64_t> place, const Box& box,
                                std::size_t stored_bytes) {
    const ArrayNode& node = array.dataset.node;
    if (place && *place % node.grid.steps != 0 && !array.index.is_empty()) {
        return array.index.last().address;
    }
    const auto bytes =
        node.packing != Packing::none ? stored_bytes : static_cast<std::size_t>(bytes_of(node.grid, node.info.dtype));
    const Address address = os::DirectWrites::begin_behind(next.end, bytes);
    next.end = aligned(address + bytes);
    array.index.append({.offset = chunk_offset(node, place, box),
                        .place = {.address = address, .bytes = static_cast<std::uint32_t>(bytes)}});
    return address;
}

base::Result<> Hdf5Writer::write(WriterState& next, Growing& array, const ArrayToStore& elements,
                                 std::optional<std::int64_t> place) {
    Dataset& dataset = array.dataset;
    const ArrayNode& node = dataset.node;
    const std::int64_t before = place ? offset_in_chunk(node.grid, node.info.dtype, *place) : 0;
    const std::vector<Box> boxes = boxes_of(node.grid, node.info.shape);
    const auto store = [&](std::size_t number, const BytesToStore& chunk) {
        const std::size_t bytes = chunk.bytes.size();
        Address address = next.end;
        if (dataset.layout.chunk) {
            address = place_chunk(next, array, place, boxes[number], bytes);
        } else {  // one after another
            if (dataset.layout.address == nowhere) {
                dataset.layout.address = address = os::DirectWrites::begin_behind(next.end, bytes);
            }
            dataset.layout.bytes += bytes;
            next.end = address + bytes;
        }
        return file_.write(address + static_cast<Address>(before), chunk);
    };
    auto stored = bytes_.store_all(boxes, node, elements, store);
    next.end = aligned(next.end);
    return stored;
}

base::Result<> Hdf5Writer::write(WriterState& next, const Tail& tail) {
    next.end = tail.next();
    return file_.write(tail.begin(), tail.bytes());
}

/// The text of a step along others, and the reference to it: always, since what lies there may be of one that failed.
base::Result<> Hdf5Writer::write_attributes(WriterState& next, const Attributes& attributes, std::int64_t place) {
    const std::string said = attributes.empty() ? "" : text_of(attributes);
    const Address chunk = place_chunk(next, next.texts, place, {}, 0);
    const ArrayNode& node = next.texts.dataset.node;
    Tail tail(next.end);
    TextCollections texts;
    texts.add(said);
    texts.place(tail);
    base::ByteWriter reference;
    texts.refer_to(said, reference);
    auto written = write(next, tail);
    const auto offset = static_cast<Address>(offset_in_chunk(node.grid, node.info.dtype, place));
    return written ? file_.write(chunk + offset, reference.bytes()) : std::move(written);
}

// Headers ------------------------------------------------------------------------------------------------------------

/// From now on the file is what was appended.
base::Result<> Hdf5Writer::write_headers() {
    WriterState next = appended_;
    Tail tail(next.end);
    const Address root = add_root(next, tail);
    auto done = write(next, tail);
    done = done ? file_.synchronise(next.end) : std::move(done);
    if (done) {
        file_.keep(next.end);
        done = write_superblock(file_.file(), {.end = next.end, .root = root});
        done = done ? os::sync(file_.file()) : std::move(done);
        is_broken_ = !done;
    }
    if (done) {
        published_ = std::move(next);
    }
    appended_ = published_;
    return done;
}

/// The disk may be full: what was written of one that failed is room for the headers of those before.
void Hdf5Writer::give_back() {
    if (!is_broken_) {  // else the superblock on disk may lead there
        file_.give_back(appended_.end);
    }
}

base::Result<> Hdf5Writer::begin(const Attributes& attributes) {
    appended_.attributes.set(attributes);
    return write_headers();
}

/// The last step that was appended could not be written, and those up to `last` are lost with it.
base::Result<> Hdf5Writer::lose_last(std::int64_t last, const base::Failure& why) {
    const std::int64_t first = *appended_.newest;
    appended_ = std::move(written_);
    give_back();
    return not_stored(path_, first, last, why);
}

base::Result<> Hdf5Writer::publish() {
    if (appended_.newest == published_.newest) {
        return {};
    }
    const std::int64_t first = first_waiting_, last = *appended_.newest;
    const auto written = file_.steps().finish();
    auto settled = written ? base::Result<>() : lose_last(last, written.error());
    if (appended_.newest == published_.newest) {
        return settled;
    }
    const auto done = write_headers();
    if (!done) {
        give_back();
        return is_broken_ ? maybe_stored(path_, first, last, done.error())
                          : not_stored(path_, first, last, done.error());
    }
    return settled;
}

// Steps --------------------------------------------------------------------------------------------------------------

/// Units and attributes of variables are those of the newest step.
base::Result<> Hdf5Writer::append_along(WriterState& next, const StepToStore& step, std::vector<ArrayNode> arrays) {
    const std::int64_t place = next.steps();
    if (place == 0) {
        next.arrays.clear();
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (i == next.arrays.size()) {
            next.arrays.emplace_back(Dataset{.node = arrays[i], .steps = 0, .layout = {}});
        }
        Growing& array = next.arrays[i];
        array.dataset.steps = place + 1;
        array.dataset.node = arrays[i];  // cut as it was
        array.attributes.set(kept_attributes(arrays[i].info, true));
        if (auto written = write(next, array, array_of(step, arrays[i].info.name), place); !written) {
            return written;
        }
    }
    next.numbers.dataset.steps = next.texts.dataset.steps = place + 1;
    const ArrayToStore number{{.info = {}, .parts = {{{}, ArrayView::row_major(&step.number, Dtype::i64, {})}}}};
    auto written = write(next, next.numbers, number, place);
    return written ? write_attributes(next, step.attributes, place) : std::move(written);
}

base::Result<> Hdf5Writer::append_apart(WriterState& next, const StepToStore& step, std::vector<ArrayNode> arrays) {
    std::vector<Growing> written;
    for (ArrayNode& node : arrays) {
        Growing& array = written.emplace_back(Dataset{.node = std::move(node), .layout = {}});
        if (auto done = write(next, array, array_of(step, array.dataset.node.info.name), std::nullopt); !done) {
            return done;
        }
    }
    Tail tail(next.end);
    const Address group = add_step(step.attributes, written, tail);
    next.apart.newest.push_back({MessageKind::link, encode_link(group_of(step.number), group)});
    return write(next, tail);
}

std::vector<ArrayNode> Hdf5Writer::nodes_along() const {
    std::vector<ArrayNode> nodes;
    for (const Growing& array : appended_.arrays) {
        nodes.push_back(array.dataset.node);
    }
    return nodes;
}

base::Result<> Hdf5Writer::append(const StepToStore& step) {
    const std::vector<ArrayNode> along = nodes_along();
    auto planned = plan(step, {path_, appended_.newest, along, appended_.steps() > 0});
    auto done = planned ? check_attributes(step, planned->lies_along) : fail(planned);
    if (is_broken_) {
        done = nothing_more_is_stored();
    }
    if (done) {
        WriterState next = appended_;
        next.newest = step.number;
        done = transform::guarded([&] {
            return planned->lies_along ? append_along(next, step, std::move(planned->arrays))
                                       : append_apart(next, step, std::move(planned->arrays));
        });
        if (done) {
            if (const auto written = file_.steps().next_step(); !written) {
                file_.steps().abandon_step();
                return lose_last(step.number, written.error());
            }
            first_waiting_ = appended_.newest == published_.newest ? step.number : first_waiting_;
            written_ = std::exchange(appended_, std::move(next));
        }
    }
    if (!done) {
        file_.steps().abandon_step();
        give_back();
        return not_stored(path_, step.number, step.number, done.error());
    }
    return {};
}

}  // namespace

base::Result<std::unique_ptr<RecordingWriter>> create(const std::string& path, const Attributes& attributes,
                                                      bool resume) {
    if (auto checked = check(attributes); !checked) {
        return fail(std::move(checked));
    }
    if (os::is_there(path) && !resume) {
        return fail(ErrorCode::already_exists,
                    "there is something called '{}' already: choose another name, remove it, or go on with it (resume)",
                    base::printable(path));
    }
    const std::string folder = os::directory_of(path);
    auto made = os::make_durable_directory(folder);
    auto file = made ? os::open_kept_file_alone(path) : fail(made);
    if (!file) {
        return file.error().code == ErrorCode::already_exists
                   ? fail(ErrorCode::already_exists, "another recorder writes to '{}': choose another name",
                          base::printable(path))
                   : fail(std::move(file));
    }
    WriterState state;
    const auto is_there = has_superblock(*file);
    if (!is_there) {
        return fail(is_there);
    }
    if (*is_there) {
        const auto store = load(*file, path);
        if (store && !store->is_own) {
            return fail(ErrorCode::invalid_argument, "'{}' was written by another program: nothing can be added to it",
                        base::printable(path));
        }
        auto there = store ? state_of(*file, *store) : fail(store);
        if (!there) {
            return fail(std::move(there));
        }
        state = *std::move(there);
    }
    auto writer = std::make_unique<Hdf5Writer>(path, *std::move(file), std::move(state));
    auto begun = writer->begin(attributes);
    begun = begun ? os::sync_directory(folder) : std::move(begun);
    if (!begun) {
        return fail(std::move(begun));
    }
    return writer;
}

}  // namespace staithe::format::hdf5
