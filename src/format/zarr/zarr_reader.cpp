#include "format/zarr/zarr_reader.hpp"

#include <cstdint>
#include <utility>

#include "base/text.hpp"
#include "format/zarr/store.hpp"
#include "os/files.hpp"

namespace staithe::format::zarr {
namespace {

constexpr std::size_t most_text = std::size_t{64} << 20;

class ZarrReader final : public RecordingReader {
  public:
    explicit ZarrReader(Store store) : store_(std::move(store)) {}

    [[nodiscard]] const Attributes& attributes() const override { return store_.attributes; }
    [[nodiscard]] const std::vector<std::int64_t>& steps() const override { return store_.numbers; }
    [[nodiscard]] base::Result<StoredStep> step(std::size_t place) const override;

  private:
    [[nodiscard]] base::Result<Attributes> attributes_of(std::int64_t place) const;

    const Store store_;
};

base::Result<StoredStep> ZarrReader::step(std::size_t place) const {
    const auto at = static_cast<std::int64_t>(place);
    StoredStep step{.number = store_.numbers.at(place)};
    auto attributes = attributes_of(at);
    if (!attributes) {
        return base::fail(std::move(attributes));
    }
    step.attributes = *std::move(attributes);
    for (const ArrayNode& array : store_.arrays) {
        const ArrayInfo& info = array.info;
        StoredArray& stored = step.arrays.emplace_back(StoredArray{.info = info, .parts = {}});
        for (Chunk& chunk : chunks_of(array.grid, info.shape, info.dtype, at, array.separator)) {
            const std::int64_t bytes = size_in_bytes(chunk.box.count, info.dtype).value_or(0);
            stored.parts.push_back({chunk.box, store_.file_of(info.name, chunk.name), chunk.offset, bytes});
        }
    }
    return step;
}

/// Most steps have none, and no file.
base::Result<Attributes> ZarrReader::attributes_of(std::int64_t place) const {
    const auto chunk = os::read_file(store_.texts_file_of(place), most_text);
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
