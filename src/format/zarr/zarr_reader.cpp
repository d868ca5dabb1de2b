#include "format/zarr/zarr_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/packing.hpp"
#include "format/zarr/chunk_files.hpp"
#include "format/zarr/shards.hpp"
#include "format/zarr/store.hpp"
#include "os/files.hpp"
#include "os/shared_memory.hpp"

namespace staithe::format::zarr {
namespace {

constexpr std::size_t most_text = std::size_t{64} << 20;

class ZarrReader final : public RecordingReader {
  public:
    explicit ZarrReader(Store store) : store_(std::move(store)), steps_(all_steps(store_.numbers, store_.apart)) {}

    [[nodiscard]] const Attributes& attributes() const override { return store_.attributes; }
    [[nodiscard]] const std::vector<std::int64_t>& steps() const override { return steps_; }
    [[nodiscard]] base::Result<StoredStep> step(std::size_t place) const override;
    base::Result<> read(const StoredPart& part, std::int64_t first, std::span<std::byte> elements) const override;
    [[nodiscard]] base::Result<std::vector<std::byte>> read_packed(const StoredPart& part) const override;

  private:
    [[nodiscard]] base::Result<Attributes> attributes_of(std::int64_t place) const;

    mutable ReadShards shards_;
    const Store store_;
    const std::vector<std::int64_t> steps_;
};

StoredArray stored(const ArrayNode& array, const std::string& folder, std::optional<std::int64_t> place,
                   char separator) {
    const ArrayInfo& info = array.info;
    StoredArray result{.info = info, .parts = {}};
    for (const Chunk& chunk : chunks_of(array.grid, info.shape, info.dtype, place, separator)) {
        const std::int64_t bytes = size_in_bytes(chunk.box.count, info.dtype).value_or(0);
        result.parts.push_back({.box = chunk.box,
                                .path = folder + "/" + chunk.name,
                                .offset = chunk.offset,
                                .bytes = bytes,
                                .packing = array.packing,
                                .dtype = info.dtype,
                                .packed_shape = array.grid.count,
                                .packed_bytes = array.packing == Packing::none ? 0 : bytes_of(array.grid, info.dtype),
                                .in_shard = chunk.in_shard});
    }
    return result;
}

base::Result<StoredStep> ZarrReader::step(std::size_t place) const {
    StoredStep step{.number = steps_.at(place)};
    if (const auto apart = store_.apart.find(step.number); apart != store_.apart.end()) {
        step.attributes = apart->second.attributes;
        for (const ArrayNode& array : apart->second.arrays) {
            step.arrays.push_back(
                stored(array, store_.folder_of(path_of(step.number, array.info.name)), std::nullopt, store_.separator));
        }
        return step;
    }
    const auto along = std::ranges::lower_bound(store_.numbers, step.number) - store_.numbers.begin();
    auto attributes = attributes_of(along);
    if (!attributes) {
        return base::fail(std::move(attributes));
    }
    step.attributes = *std::move(attributes);
    for (const ArrayNode& array : store_.arrays) {
        step.arrays.push_back(stored(array, store_.folder_of(array.info.name), along, store_.separator));
    }
    return step;
}

base::Result<std::vector<std::byte>> ZarrReader::read_packed(const StoredPart& part) const {
    const auto file = os::open_for_reading(part.path);
    const auto chunk = !file           ? base::fail(file)
                       : part.in_shard ? shards_.find(part.path, *file, *part.in_shard)
                                       : os::size_of_file(*file).map([](std::int64_t size) { return Place{0, size}; });
    if (!chunk) {
        return base::fail(chunk);
    }
    if (chunk->bytes > most_packed_bytes) {
        return base::fail(ErrorCode::protocol, "it has {} bytes: that is no chunk", chunk->bytes);
    }
    std::vector<std::byte> packed(static_cast<std::size_t>(chunk->bytes));
    const auto had = os::read_at(*file, chunk->offset, packed);
    if (!had) {
        return base::fail(had);
    }
    packed.resize(*had);
    return packed;
}

base::Result<> ZarrReader::read(const StoredPart& part, std::int64_t first, std::span<std::byte> elements) const {
    const auto file = os::open_for_reading(part.path);
    // A file of one chunk ends where that does.
    const auto chunk = !file           ? base::fail(file)
                       : part.in_shard ? shards_.find(part.path, *file, *part.in_shard)
                                       : base::Result<Place>({0, INT64_MAX});
    if (!chunk) {
        return base::fail(chunk);
    }
    const std::int64_t begin = part.offset + first;
    const auto had = chunk->bytes - begin < std::ssize(elements) ? base::Result<std::size_t>(0)
                                                                 : os::read_at(*file, chunk->offset + begin, elements);
    if (!had) {
        return base::fail(had);
    }
    return *had == elements.size() ? base::Result<>() : base::fail(ErrorCode::protocol, "the file ends too soon");
}

/// Most steps have none, and no file.
base::Result<Attributes> ZarrReader::attributes_of(std::int64_t place) const {
    const auto chunk =
        os::read_file(store_.folder_of(attributes_name) + "/" + Store::attributes_file_of(place), most_text);
    if (!chunk) {
        return chunk.error().code == ErrorCode::not_found ? base::Result<Attributes>(Attributes()) : base::fail(chunk);
    }
    auto attributes = decode_attributes(*chunk);
    return attributes ? std::move(attributes)
                      : base::fail(ErrorCode::protocol, "the attributes of step {} in '{}' are damaged",
                                   store_.numbers.at(static_cast<std::size_t>(place)), base::printable(store_.path));
}

}  // namespace

base::Result<std::unique_ptr<RecordingReader>> open(const std::string& path) {
    auto store = load(path);
    if (!store) {
        return base::fail(std::move(store));
    }
    return std::make_unique<ZarrReader>(*std::move(store));
}

}  // namespace staithe::format::zarr
