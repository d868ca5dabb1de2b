#include "stream/reading/recorded/recorded_source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/formats.hpp"
#include "stream/reading/recorded/local_arrays.hpp"
#include "stream/reading/recorded/stored_parts.hpp"
#include "stream/recording/local_rows.hpp"

namespace staithe::stream::recorded {
namespace {

using base::fail;

/// The blocks of a step, by rank. All parts of global arrays are of the first one.
class StoredBlocks {
  public:
    /// Of so many ranks; parts have the first stores, local arrays those behind them.
    StoredBlocks(std::size_t ranks, std::size_t parts) : schemas_(ranks), refs_(ranks), first_of_rows_(parts) {}

    void add(const format::StoredArray& array) {
        if (array.parts.empty()) {  // nor has it elements
            add(0, described(array.info, Box::whole(array.info.shape)), {});
        }
        for (const format::StoredPart& part : array.parts) {
            add(0, described(array.info, part.box),
                {.store = store_of(parts_.size()), .offset = part.offset, .bytes = part.bytes});
            parts_.push_back(part);
        }
    }

    void add(const format::StoredArray& array, const LocalArrays& local) {
        StoredRows rows{.first = 0, .first_part = parts_.size(), .parts = array.parts.size()};
        parts_.insert(parts_.end(), array.parts.begin(), array.parts.end());
        Extents shape = array.info.shape;
        for (std::size_t rank = 0; rank < local.rows.size(); ++rank) {
            shape[0] = local.rows[rank];
            if (shape[0] == no_rows) {
                continue;
            }
            store::BlockDescription block = described(array.info, Box::whole(local.are_scalars ? Extents() : shape));
            block.local = true;
            block.shape = block.box.count;
            const store::BlockRef ref{.store = store_of(first_of_rows_ + rows_.size()), .bytes = block.data_bytes()};
            add(rank, std::move(block), ref);
            rows_.push_back(rows);
            rows.first += shape[0];
        }
    }

    [[nodiscard]] std::vector<store::BlockRef> refs() const {
        std::vector<store::BlockRef> all;
        for (const auto& of_rank : refs_) {
            all.insert(all.end(), of_rank.begin(), of_rank.end());
        }
        return all;
    }
    // Each once:
    [[nodiscard]] std::vector<Schema> take_schemas() { return std::move(schemas_); }
    [[nodiscard]] std::shared_ptr<store::BlockSource> take_source(
        std::shared_ptr<const format::RecordingReader> recording) {
        return std::make_shared<StoredParts>(std::move(recording), std::move(parts_), std::move(rows_));
    }

  private:
    static std::uint32_t store_of(std::size_t number) { return static_cast<std::uint32_t>(number); }
    static store::BlockDescription described(const format::ArrayInfo& array, const Box& box) {
        return {.variable = array.name,
                .dtype = array.dtype,
                .shape = array.shape,
                .box = box,
                .unit = array.unit,
                .attributes = array.attributes};
    }
    void add(std::size_t rank, store::BlockDescription block, const store::BlockRef& ref) {
        schemas_[rank].push_back(std::move(block));
        refs_[rank].push_back(ref);
    }

    std::vector<Schema> schemas_;
    std::vector<std::vector<store::BlockRef>> refs_;
    const std::size_t first_of_rows_;
    std::vector<format::StoredPart> parts_;
    std::vector<StoredRows> rows_;
};

StoredBlocks blocks_of(const format::StoredStep& step, const std::map<std::string, LocalArrays>& local) {
    std::size_t ranks = 1, parts = 0;
    std::set<std::string> no_variables;
    for (const auto& [name, arrays] : local) {
        ranks = std::max(ranks, arrays.rows.size());
        no_variables.insert(rows_name(name));
    }
    const auto is_variable = [&](const format::StoredArray& array) { return !no_variables.contains(array.info.name); };
    for (const format::StoredArray& array : step.arrays | std::views::filter(is_variable)) {
        parts += array.parts.size();
    }
    StoredBlocks blocks(ranks, parts);
    for (const format::StoredArray& array : step.arrays | std::views::filter(is_variable)) {
        const auto rows = local.find(array.info.name);
        if (rows != local.end()) {
            blocks.add(array, rows->second);
        } else {
            blocks.add(array);
        }
    }
    return blocks;
}

class RecordedStep final : public Step {
  public:
    explicit RecordedStep(Attributes attributes) : attributes_(std::move(attributes)) {}
    [[nodiscard]] base::Result<Attributes> attributes() const override { return attributes_; }

  private:
    const Attributes attributes_;
};

}  // namespace

base::Result<std::shared_ptr<StepSource>> RecordedSource::open(const std::string& stream,
                                                               const ReaderOptions& options) {
    if (auto checked = check(stream, "a recording", options); !checked) {
        return fail(checked);
    }
    const auto path = path_of(stream, "file");
    if (!path) {
        return fail(path);
    }
    return open_file(stream, *path, options);
}

base::Result<std::shared_ptr<RecordedSource>> RecordedSource::open_file(const std::string& stream,
                                                                        const std::string& path,
                                                                        const ReaderOptions& options) {
    auto recording = format::open_recording(path);
    if (!recording) {
        return fail(std::move(recording));
    }
    const auto& steps = (*recording)->steps();
    const auto first = std::ranges::lower_bound(steps, options.start) - steps.begin();
    return std::shared_ptr<RecordedSource>(
        new RecordedSource(stream, options.group, *std::move(recording), static_cast<std::size_t>(first)));
}

base::Result<std::shared_ptr<const Step>> RecordedSource::open_step(std::size_t place) {
    const auto stored = recording_->step(first_ + place);
    const auto local = stored ? local_arrays_of(*recording_, *stored) : fail(stored);
    if (!local) {
        return fail(local);
    }
    StoredBlocks blocks = blocks_of(*stored, *local);
    auto layout = layout_of(blocks.take_schemas());
    if (!layout) {
        return fail(std::move(layout));
    }
    auto step = std::make_shared<RecordedStep>(stored->attributes);
    step->number = stored->number;
    step->layout = *std::move(layout);
    step->blocks = blocks.refs();
    step->source = blocks.take_source(recording_);
    return step;
}

}  // namespace staithe::stream::recorded
