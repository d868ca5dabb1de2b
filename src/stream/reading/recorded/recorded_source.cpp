#include "stream/reading/recorded/recorded_source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/formats.hpp"
#include "format/packing.hpp"
#include "store/reading_source.hpp"
#include "transform/helpers.hpp"

namespace staithe::stream::recorded {
namespace {

using base::fail;

/// Parts of a recording, a store each.
class StoredParts final : public store::ReadingSource {
  public:
    StoredParts(std::shared_ptr<const format::RecordingReader> recording, std::vector<format::StoredPart> parts)
        : ReadingSource(transform::background_threads), recording_(std::move(recording)), parts_(std::move(parts)) {}

  private:
    /// Of a chunk that is packed all is read, and much is unpacked.
    [[nodiscard]] std::int64_t work_for(const store::BlockRef& ref, const store::Piece& piece) const override {
        const format::StoredPart& part = parts_.at(ref.store);
        return part.packing == format::Packing::none ? ReadingSource::work_for(ref, piece) : part.packed_bytes;
    }
    base::Result<> fetch_piece(const store::BlockRef& ref, const store::Piece& piece,
                               const MutableArrayView& destination) override {
        const format::StoredPart& part = parts_.at(ref.store);
        if (part.packing == format::Packing::none) {
            return ReadingSource::fetch_piece(ref, piece, destination);
        }
        return store::fetch_by_box(piece, destination, [&](const Box& box, const MutableArrayView& elements) {
            const auto packed = recording_->read_packed(part);
            const auto read = packed ? format::unpack(part, *packed, box, elements) : fail(packed);
            return read.map_error([&](const base::Failure& why) { return unread(ref, piece, naming_file(part, why)); });
        });
    }
    base::Result<> read(const store::BlockRef& ref, std::int64_t first, std::span<std::byte> destination) override {
        const format::StoredPart& part = parts_.at(ref.store);
        return recording_->read(part, first, destination).map_error([&](const base::Failure& why) {
            return naming_file(part, why);
        });
    }
    static base::Failure naming_file(const format::StoredPart& part, const base::Failure& why) {
        const std::string path = base::printable(part.path);
        return why.message.find(path) == std::string::npos
                   ? base::Failure{why.code, fmt::format("{}: {}", path, why.message)}
                   : why;
    }

    const std::shared_ptr<const format::RecordingReader> recording_;
    const std::vector<format::StoredPart> parts_;
};

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
    if (!stored) {
        return fail(stored);
    }
    auto step = std::make_shared<RecordedStep>(stored->attributes);
    Schema schema;
    std::vector<format::StoredPart> parts;
    const auto add = [&](const format::ArrayInfo& array, const format::StoredPart& part) {
        schema.push_back({.variable = array.name,
                          .dtype = array.dtype,
                          .shape = array.shape,
                          .box = part.box,
                          .unit = array.unit,
                          .attributes = array.attributes});
        step->blocks.push_back(
            {.store = static_cast<std::uint32_t>(parts.size()), .offset = part.offset, .bytes = part.bytes});
        parts.push_back(part);
    };
    for (const format::StoredArray& array : stored->arrays) {
        if (array.parts.empty()) {  // nor has it elements
            add(array.info, {.box = Box::whole(array.info.shape), .path = {}});
        }
        for (const format::StoredPart& part : array.parts) {
            add(array.info, part);
        }
    }
    auto layout = layout_of(std::move(schema));
    if (!layout) {
        return fail(std::move(layout));
    }
    step->number = stored->number;
    step->layout = *std::move(layout);
    step->source = std::make_shared<StoredParts>(recording_, std::move(parts));
    return step;
}

}  // namespace staithe::stream::recorded
