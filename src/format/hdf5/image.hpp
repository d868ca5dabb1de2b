// The bytes of an HDF5 file (its format: https://docs.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html): the
// superblock, by which all else is found, and what is yet to come behind the end that it names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/rounding.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::format::hdf5 {

/// Where something lies in the file.
using Address = std::uint64_t;
inline constexpr Address nowhere = UINT64_MAX;

struct Superblock {
    Address end = 0;   // of all that belongs to the file; what lies behind it is of a step that failed
    Address root = 0;  // the group in which all else is

    static constexpr std::size_t bytes = 48;
};

/// In one sector, so that a disk has the old one or the new.
base::Result<> write_superblock(const os::FileDescriptor& file, const Superblock& superblock);
/// Not in an empty file, nor where a writer was killed before its first one. What may be another program's counts.
base::Result<bool> has_superblock(const os::FileDescriptor& file);
/// `protocol` if it is no such file. Untrusted, as is all that an image gives.
base::Result<Superblock> read_superblock(const os::FileDescriptor& file);

/// A file as it was when its superblock was read: what it has up to the end is never written again.
class Image {
  public:
    Image(const os::FileDescriptor& file, Address end) : file_(&file), end_(end) {}

    /// `protocol` where the file does not have it.
    base::Result<> read(Address address, std::span<std::byte> destination) const;
    [[nodiscard]] base::Result<std::vector<std::byte>> read(Address address, std::uint64_t bytes) const;
    [[nodiscard]] bool has(Address address, std::uint64_t bytes) const {
        return address <= end_ && bytes <= end_ - address;
    }
    [[nodiscard]] Address end() const { return end_; }

  private:
    const os::FileDescriptor* file_;
    Address end_;
};

/// Whether these bytes come next, which are taken.
[[nodiscard]] bool take_signature(base::ByteReader& in, std::string_view signature);
/// A number of so many bytes, the least first, of which no more than 8 count.
[[nodiscard]] std::uint64_t take_integer(base::ByteReader& in, std::size_t bytes);
/// How many bytes a number up to that takes.
[[nodiscard]] std::size_t bytes_for(std::uint64_t most);

/// Metadata that are to come at the end of a file, addressed as they will lie.
class Tail {
  public:
    explicit Tail(Address begin) : begin_(begin) {}

    /// Where the next block will lie.
    [[nodiscard]] Address next() const { return begin_ + bytes_.size(); }
    Address add(std::span<const std::byte> block);

    [[nodiscard]] Address begin() const { return begin_; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  private:
    Address begin_;
    std::vector<std::byte> bytes_;
};

/// Blocks begin at multiples of it.
inline constexpr Address alignment = 8;
[[nodiscard]] constexpr Address aligned(Address address) { return base::round_up(address, alignment); }

}  // namespace staithe::format::hdf5
