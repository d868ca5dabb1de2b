// Blocks of metadata as HDF5 has them since version 1.8: each begins with a signature, and ends with a checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "format/hdf5/image.hpp"

namespace staithe::format::hdf5 {

/// Those that were read are kept: whoever looks up one thing after another comes by the same blocks again. One thread.
class CheckedBlocks {
  public:
    explicit CheckedBlocks(const Image& image) : image_(image) {}

    /// The bytes that a block has between its signature, and version 0 behind that, and its checksum; until the next
    /// one is read. Those without a signature have no version either. `protocol` if it is another one, or damaged.
    base::Result<base::ByteReader> read(Address address, std::uint64_t bytes, std::string_view signature);

    static constexpr std::uint64_t bytes_before = 5, bytes_behind = 4;

  private:
    const Image& image_;
    std::map<Address, std::vector<std::byte>> kept_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace staithe::format::hdf5
