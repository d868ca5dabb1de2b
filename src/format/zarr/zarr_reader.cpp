#include "format/zarr/zarr_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/zarr/store.hpp"
#include "format/zarr/stored_chunks.hpp"
#include "os/files.hpp"

namespace staithe::format::zarr {
namespace {

constexpr std::size_t most_text = std::size_t{64} << 20;

class ZarrReader final : public RecordingReader {
  public:
    explicit ZarrReader(Store store) : store_(std::move(store)), steps_(all_steps(store_.numbers, store_.apart)) {}

    [[nodiscard]] const Attributes& attributes() const override { return store_.attributes; }
    [[nodiscard]] const std::vector<std::int64_t>& steps() const override { return steps_; }
    [[nodiscard]] base::Result<StoredStep> step(std::size_t place) const override;
    base::Result<> read(const StoredPart& part, std::int64_t first, std::span<std::byte> elements) const override {
        return chunks_.read(part, first, elements);
    }
    [[nodiscard]] base::Result<std::optional<std::vector<std::byte>>> read_packed(
        const StoredPart& part) const override {
        return chunks_.read_packed(part);
    }

  private:
    [[nodiscard]] base::Result<Attributes> attributes_of(std::int64_t place) const;

    mutable StoredChunks chunks_;
    const Store store_;
    const std::vector<std::int64_t> steps_;
};

base::Result<StoredStep> ZarrReader::step(std::size_t place) const {
    StoredStep step{.number = steps_.at(place)};
    if (const auto apart = store_.apart.find(step.number); apart != store_.apart.end()) {
        step.attributes = apart->second.attributes;
        for (const ArrayNode& array : apart->second.arrays) {
            step.arrays.push_back(
                stored(array, store_.folder_of(path_of(step.number, array.info.name)), std::nullopt, store_.keys));
        }
        return step;
    }
    for (const ArrayNode& array : store_.still) {
        step.arrays.push_back(stored(array, store_.folder_of(array.info.name), std::nullopt, store_.keys));
    }
    const auto along = std::ranges::lower_bound(store_.numbers, step.number) - store_.numbers.begin();
    auto attributes = attributes_of(along);
    if (!attributes) {
        return base::fail(std::move(attributes));
    }
    step.attributes = *std::move(attributes);
    for (const ArrayNode& array : store_.arrays) {
        step.arrays.push_back(stored(array, store_.folder_of(array.info.name), along, store_.keys));
    }
    return step;
}

/// Most steps have none, and no file.
base::Result<Attributes> ZarrReader::attributes_of(std::int64_t place) const {
    if (!store_.is_own) {
        return Attributes();
    }
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
