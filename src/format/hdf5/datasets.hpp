// Arrays as HDF5 has them: objects whose headers say what there is of an array, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/hdf5/chunk_index.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/layouts.hpp"
#include "format/hdf5/messages.hpp"
#include "format/plan.hpp"

namespace staithe::format::hdf5 {

/// Of dimensions, as HDF5's own library names them (H5DSset_label).
inline constexpr const char* labels_attribute = "DIMENSION_LABELS";

/// What the elements of an array are: numbers of its dtype, or texts.
enum class Holds : std::uint8_t { numbers, texts };

struct Dataset {
    ArrayNode node;  // of texts: with a dtype of the size of a reference
    Holds holds = Holds::numbers;
    std::optional<std::int64_t> steps{};  // along which it lies; none: it is of one step alone
    Layout layout{};
};

/// The arrays of all steps' numbers and attributes, in a new file.
[[nodiscard]] Dataset numbers_dataset();
[[nodiscard]] Dataset texts_dataset();

/// How it is cut.
[[nodiscard]] ChunkShape chunk_shape(const ArrayNode& node, bool lies_along_steps);
/// Where the chunk with that box of a step begins; `step` is the place of that step.
[[nodiscard]] ChunkOffset chunk_offset(const ArrayNode& node, std::optional<std::int64_t> step, const Box& box);

/// The attributes that a file has of it: names of dimensions and unit are among them.
[[nodiscard]] Attributes kept_attributes(const ArrayInfo& info, bool lies_along_steps);

/// All but the attributes.
[[nodiscard]] std::vector<Message> encode(const Dataset& dataset);
/// Untrusted: `protocol` says what cannot be read. Whether it lies along steps, whoever reads knows.
[[nodiscard]] base::Result<Dataset> decode(const std::string& name, std::span<const Message> messages,
                                           const Attributes& attributes, bool lies_along_steps);

}  // namespace staithe::format::hdf5
