// Filters that HDF5, and h5py, have of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace staithe::format::hdf5 {

/// The checksum of J. Fletcher, over pairs of bytes.
[[nodiscard]] std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// What LibLZF has compressed, which h5py brings along; whether `packed`, which may be anything, fills `to`.
[[nodiscard]] bool undo_lzf(std::span<const std::byte> packed, std::span<std::byte> to);

}  // namespace staithe::format::hdf5
