// What HDF5 says of an array, each in a message of its object's header: its dtype, its shape, how its elements are
// compressed. Versions are such as HDF5 1.8 and all later ones read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <staithe/dtype.hpp>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/plan.hpp"
#include "format/recording.hpp"

namespace staithe::format::hdf5 {

using Bytes = std::vector<std::byte>;

enum class MessageKind : std::uint8_t {
    nothing = 0x00,
    dataspace = 0x01,
    link_info = 0x02,
    datatype = 0x03,
    old_fill_value = 0x04,
    fill_value = 0x05,
    link = 0x06,
    other_files = 0x07,
    layout = 0x08,
    group_info = 0x0a,
    filters = 0x0b,
    attribute = 0x0c,
    continuation = 0x10,
    symbol_table = 0x11,
    attribute_info = 0x15,
};

struct Message {
    MessageKind kind;
    Bytes content;
    Address address = nowhere;  // of its content, in headers that were read
};

[[nodiscard]] Bytes bytes_in(const base::ByteWriter& out);

/// Elements as h5py writes NumPy's: bool is an enumeration, complex a compound of r and i. No f128 and c256.
[[nodiscard]] Bytes encode_datatype(Dtype dtype);
/// Of texts: of any length, or of so many bytes at most, the zero at its end counted.
[[nodiscard]] Bytes encode_text_type();
[[nodiscard]] Bytes encode_text_type(std::size_t bytes);
/// Of lists of references to objects, each of which is an address.
[[nodiscard]] Bytes encode_reference_list_type();
[[nodiscard]] bool is_text_type(std::span<const std::byte> datatype);
/// An enumeration of one byte, however it is written.
[[nodiscard]] bool is_boolean_type(std::span<const std::byte> datatype);

/// Of all dimensions, that of steps included.
using Shape = std::vector<std::uint64_t>;

/// The first dimension may grow. A shape of no dimensions is that of one element.
[[nodiscard]] Bytes encode_dataspace(const Shape& shape, bool grows);
struct Dataspace {
    Shape shape{};
    Shape most{};  // that it can become; empty: it stays as it is

    static constexpr std::uint64_t without_limit = UINT64_MAX;

    /// Along its first dimension, as far as ever.
    [[nodiscard]] bool grows() const { return !most.empty() && most.front() == without_limit; }
};
[[nodiscard]] base::Result<Dataspace> dataspace_in(std::span<const std::byte> message);
/// Whether it is one as HDF5 has it, but no array: of no shape at all, or of more dimensions.
[[nodiscard]] bool is_of_no_array(std::span<const std::byte> dataspace);

inline constexpr std::uint16_t blosc_filter = 32001;
/// Of those that nobody has registered; plugins/hdf5 has the same.
inline constexpr std::uint16_t payload_filter = 53617;

/// The one filter through which chunks of such elements go, with what it is told: `blosc` (of hdf5plugin), or Staithe's
/// (plugins/hdf5).
[[nodiscard]] Bytes encode_filters(const ArrayNode& node);
/// What those of an array say, in the order in which chunks go through them: each by its number, and what it is told.
struct FilterMessage {
    std::uint16_t number = 0;
    std::vector<std::uint32_t> told;
};
[[nodiscard]] base::Result<std::vector<FilterMessage>> filters_in(std::span<const std::byte> message);

/// Elements that nobody has written are zero.
[[nodiscard]] Bytes encode_fill_value(bool has_chunks);
/// What they are of a program that says something else, as elements lie in the file; empty: zero.
[[nodiscard]] std::span<const std::byte> fill_value_of(const Message& message);

[[nodiscard]] Bytes encode_link(std::string_view name, Address object);
struct Link {
    std::string_view name;  // in the message
    Address object = nowhere;
};
/// Nothing if it leads to another name, or another file.
[[nodiscard]] base::Result<std::optional<Link>> link_in(std::span<const std::byte> message);

}  // namespace staithe::format::hdf5
