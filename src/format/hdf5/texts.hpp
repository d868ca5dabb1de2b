// Texts of any length, which HDF5 keeps apart from what has them, in collections (its global heap): an attribute, or an
// element of an array, has a reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "format/hdf5/image.hpp"

namespace staithe::format::hdf5 {

/// Bytes of a reference.
inline constexpr std::int64_t bytes_of_reference = 16;

/// Texts that are to be written. First all are added, then they are placed, and then they are referred to.
class TextCollections {
  public:
    /// Equal ones are kept once.
    void add(std::string_view text);
    void place(Tail& tail);
    void refer_to(std::string_view text, base::ByteWriter& out) const { refer_to(text, text.size(), out); }
    /// To what is no text, but a list of so many elements.
    void refer_to(std::string_view bytes, std::size_t elements, base::ByteWriter& out) const;

  private:
    std::map<std::string, std::size_t, std::less<>> texts_;  // by the order in which they came
    std::vector<Address> collections_;
};

/// Reads texts of a file. Of one collection after another: it has the last one.
class TextReader {
  public:
    explicit TextReader(const Image& image) : image_(&image) {}

    /// The text of a reference, which is taken from `in`.
    [[nodiscard]] base::Result<std::string> read(base::ByteReader& in) { return read_list(in, 1); }
    /// The bytes of a list of elements of so many bytes, likewise.
    [[nodiscard]] base::Result<std::string> read_list(base::ByteReader& in, std::uint64_t element_bytes);

  private:
    base::Result<> open(Address collection);

    const Image* image_;
    Address address_ = nowhere;
    std::vector<std::byte> bytes_;                                         // of that collection
    std::unordered_map<std::uint32_t, std::span<const std::byte>> texts_;  // in it, by number
    std::uint64_t left_ = most_bytes;

    /// Of all that are read: a small file may refer to a large text without end.
    static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
};

}  // namespace staithe::format::hdf5
