// The checksum of metadata: lookup3 by Bob Jenkins (http://burtleburtle.net/bob/c/lookup3.c), as HDF5 has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace staithe::format::hdf5 {

[[nodiscard]] std::uint32_t checksum(std::span<const std::byte> bytes);

}  // namespace staithe::format::hdf5
