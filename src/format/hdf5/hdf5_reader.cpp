#include "format/hdf5/hdf5_reader.hpp"

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
#include "format/conventions.hpp"
#include "format/hdf5/chunk_finder.hpp"
#include "format/hdf5/store.hpp"
#include "format/hdf5/texts.hpp"
#include "os/files.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

class Hdf5Reader final : public RecordingReader {
  public:
    Hdf5Reader(std::string path, os::FileDescriptor file, Store store)
        : path_(std::move(path)),
          file_(std::move(file)),
          store_(std::move(store)),
          image_(file_, store_.superblock.end),
          steps_(all_steps(store_.numbers, store_.apart)) {}

    [[nodiscard]] const Attributes& attributes() const override { return store_.attributes; }
    [[nodiscard]] const std::vector<std::int64_t>& steps() const override { return steps_; }
    [[nodiscard]] base::Result<StoredStep> step(std::size_t place) const override;
    base::Result<> read(const StoredPart& part, std::int64_t first, std::span<std::byte> elements) const override {
        return image_.read(static_cast<Address>(part.offset + first), elements);
    }
    [[nodiscard]] base::Result<std::optional<std::vector<std::byte>>> read_packed(
        const StoredPart& part) const override;

  private:
    base::Result<> find_together(const Dataset& dataset, Address address, StoredPart& part) const;
    base::Result<> find_in_chunk(const Dataset& dataset, ChunkFinder& chunks, std::optional<std::int64_t> place,
                                 StoredPart& part) const;
    [[nodiscard]] base::Result<StoredArray> stored(const Dataset& dataset, std::optional<std::int64_t> place) const;
    [[nodiscard]] base::Result<std::string> text_of_step(std::int64_t place) const;
    [[nodiscard]] base::Result<Attributes> attributes_of(std::int64_t place) const;

    const std::string path_;
    const os::FileDescriptor file_;
    const Store store_;
    const Image image_;
    const std::vector<std::int64_t> steps_;
};

tl::unexpected<base::Failure> outside() {
    return fail(ErrorCode::protocol, "has elements that are said to lie where the file has ended");
}

/// Nobody has written it.
base::Result<> leave_out(const Dataset& dataset, StoredPart& part) {
    part.packing = Packing::absent;
    part.fill = dataset.node.fill;
    return part.fill ? base::Result<>() : fail(ErrorCode::protocol, "lacks a chunk");
}

/// Of elements that lie together, from there on.
base::Result<> Hdf5Reader::find_together(const Dataset& dataset, Address address, StoredPart& part) const {
    if (dataset.layout.address == nowhere) {
        return leave_out(dataset, part);
    }
    part.offset = static_cast<std::int64_t>(address);
    if (dataset.node.packing == Packing::coded) {  // bytes are turned round
        part.packed_at = std::exchange(part.offset, 0);
        part.packing = Packing::coded;
        part.coding = dataset.node.coding;
        part.strides = row_major_strides(part.box.count, size_of(part.dtype));
        part.packed_bytes = part.stored_bytes = part.bytes;
    }
    return image_.has(address, static_cast<std::uint64_t>(part.bytes)) ? base::Result<>() : outside();
}

base::Result<> Hdf5Reader::find_in_chunk(const Dataset& dataset, ChunkFinder& chunks, std::optional<std::int64_t> place,
                                         StoredPart& part) const {
    const ArrayNode& node = dataset.node;
    const auto found = chunks.find(chunk_offset(node, place, part.box));
    if (!found || !*found) {
        return found ? leave_out(dataset, part) : base::Result<>(fail(found));
    }
    const ChunkPlace& chunk = **found;
    const bool is_coded = node.packing == Packing::coded;
    part.offset = place ? offset_in_chunk(node.grid, node.info.dtype, *place) : 0;
    if (is_coded || (node.packing != Packing::none && chunk.left_out == 0)) {
        part.packing = node.packing;
        part.packed_shape = node.grid.count;
        part.packed_bytes = bytes_of(node.grid, node.info.dtype);
        part.packed_at = static_cast<std::int64_t>(chunk.address);
        part.stored_bytes = static_cast<std::int64_t>(chunk.bytes);
        if (is_coded) {
            part.coding = node.coding;
            part.left_out = chunk.left_out;
            part.strides = row_major_strides(node.grid.count, size_of(node.info.dtype));
        }
        return image_.has(chunk.address, chunk.bytes) ? base::Result<>() : outside();
    }
    if (!image_.has(chunk.address, static_cast<std::uint64_t>(part.offset + part.bytes))) {
        return outside();
    }
    part.offset += static_cast<std::int64_t>(chunk.address);
    return {};
}

base::Result<StoredArray> Hdf5Reader::stored(const Dataset& dataset, std::optional<std::int64_t> place) const {
    const ArrayInfo& info = dataset.node.info;
    StoredArray result{.info = info, .parts = {}};
    Address next = dataset.layout.address;
    std::optional<ChunkFinder> chunks;
    if (dataset.layout.chunk) {
        chunks.emplace(image_, dataset);
    } else {
        next += static_cast<Address>(size_in_bytes(info.shape, info.dtype).value_or(0) * place.value_or(0));
    }
    for (const Box& box : boxes_of(dataset.node.grid, info.shape)) {
        StoredPart part{
            .box = box, .path = path_, .bytes = size_in_bytes(box.count, info.dtype).value_or(0), .dtype = info.dtype};
        const auto found = chunks ? find_in_chunk(dataset, *chunks, place, part) : find_together(dataset, next, part);
        if (!found) {
            return fail(found.error().code, "{}: the array '{}' {}", base::printable(path_), base::printable(info.name),
                        found.error().message);
        }
        next += static_cast<Address>(part.bytes);
        result.parts.push_back(std::move(part));
    }
    return result;
}

base::Result<StoredStep> Hdf5Reader::step(std::size_t place) const {
    StoredStep step{.number = steps_.at(place)};
    const auto apart = store_.apart.find(step.number);
    const bool is_apart = apart != store_.apart.end();
    std::optional<std::int64_t> along;
    if (is_apart) {
        step.attributes = apart->second.attributes;
    } else {
        along = std::ranges::lower_bound(store_.numbers, step.number) - store_.numbers.begin();
        auto attributes = store_.is_own ? attributes_of(*along) : base::Result<Attributes>(Attributes());
        if (!attributes) {
            return fail(std::move(attributes));
        }
        step.attributes = *std::move(attributes);
    }
    for (const Dataset& dataset : is_apart ? apart->second.arrays : store_.arrays) {
        auto array = stored(dataset, along);
        if (!array) {
            return fail(std::move(array));
        }
        step.arrays.push_back(*std::move(array));
    }
    for (const Dataset& dataset : store_.still) {
        auto array = stored(dataset, std::nullopt);
        if (!array) {
            return fail(std::move(array));
        }
        step.arrays.push_back(*std::move(array));
    }
    return step;
}

base::Result<std::optional<std::vector<std::byte>>> Hdf5Reader::read_packed(const StoredPart& part) const {
    if (part.packing == Packing::absent) {
        return std::nullopt;
    }
    std::vector<std::byte> packed(static_cast<std::size_t>(part.stored_bytes));
    const auto read = image_.read(static_cast<Address>(part.packed_at), packed);
    return read ? base::Result<std::optional<std::vector<std::byte>>>(std::move(packed)) : fail(read);
}

/// Empty for most steps.
base::Result<std::string> Hdf5Reader::text_of_step(std::int64_t place) const {
    const Dataset& dataset = store_.texts_array;
    const auto found = ChunkFinder(image_, dataset).find(chunk_offset(dataset.node, place, {}));
    if (!found || !*found) {
        return found ? fail(ErrorCode::protocol, "lacks a chunk") : fail(found);
    }
    const auto& chunk = *found;
    const std::int64_t offset = offset_in_chunk(dataset.node.grid, dataset.node.info.dtype, place);
    const auto reference = image_.read(chunk->address + static_cast<Address>(offset), bytes_of_reference);
    if (!reference) {
        return fail(reference);
    }
    base::ByteReader in(*reference);
    return TextReader(image_).read(in);
}

base::Result<Attributes> Hdf5Reader::attributes_of(std::int64_t place) const {
    const auto text = text_of_step(place);
    auto attributes = !text           ? fail(text)
                      : text->empty() ? base::Result<Attributes>(Attributes())
                                      : attributes_in(*text);
    return attributes ? std::move(attributes)
                      : fail(ErrorCode::protocol, "the attributes of step {} in '{}' are damaged: {}",
                             store_.numbers.at(static_cast<std::size_t>(place)), base::printable(path_),
                             attributes.error().message);
}

}  // namespace

base::Result<std::unique_ptr<RecordingReader>> open(const std::string& path) {
    if (!os::is_there(path)) {
        return fail(ErrorCode::not_found, "there is no recording '{}': no file of that name", base::printable(path));
    }
    auto file = os::open_for_reading(path);
    auto store = file ? load(*file, path) : fail(file);
    if (!store) {
        return fail(std::move(store));
    }
    return std::make_unique<Hdf5Reader>(path, *std::move(file), *std::move(store));
}

}  // namespace staithe::format::hdf5
