// Attributes of groups and arrays, as h5py writes those of Python: numbers, texts, and lists of either. What HDF5 has
// no type for is a text of JSON, and named by the attribute "staithe_json".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"
#include "format/hdf5/texts.hpp"

namespace staithe::format::hdf5 {

/// `invalid_argument` if an attribute has a name that cannot be in a file.
[[nodiscard]] base::Result<> check(const Attributes& attributes);

void add_texts(const Attributes& attributes, TextCollections& texts);
/// After their texts were placed.
[[nodiscard]] std::vector<Message> encode(const Attributes& attributes, const TextCollections& texts);

/// One that is no `Value`: its elements as they are, of a type of HDF5's.
[[nodiscard]] Message encode_attribute(std::string_view name, const Bytes& type, const Shape& shape,
                                       std::span<const std::byte> elements);

/// A message of one, as it is.
struct RawAttribute {
    std::string name;
    std::span<const std::byte> type;
    Shape shape;
    std::span<const std::byte> elements;
};
/// Nothing if it is of a kind that no program reads as an attribute of Staithe's; untrusted.
[[nodiscard]] base::Result<std::optional<RawAttribute>> raw_attribute(const Message& message);

/// Those among the messages of a header, of which some may be of another program; untrusted. What is of a type that no
/// `Value` has is left out.
[[nodiscard]] base::Result<Attributes> read_attributes(TextReader& texts, std::span<const Message> messages);

}  // namespace staithe::format::hdf5
