// What <staithe/transform.hpp> promises, as a Result: for modules above, which let no exception pass.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/transform.hpp>

#include "base/result.hpp"

namespace staithe::transform {

base::Result<std::vector<std::byte>> encode(const ArrayView& array, const codecs::EncodeOptions& options);

/// Into memory of the caller's; the bytes that it takes. `limit_reached` if it does not fit, which `payload_bound`
/// does.
base::Result<std::size_t> encode_into(std::span<std::byte> out, const ArrayView& array,
                                      const codecs::EncodeOptions& options);

/// The most bytes that a payload of such an array takes, whatever the bound and the values.
base::Result<std::size_t> payload_bound(const Extents& shape, Dtype dtype);

base::Result<> decode(std::span<const std::byte> payload, const MutableArrayView& out,
                      const std::optional<Box>& box = std::nullopt, int threads = 1,
                      std::pmr::memory_resource* memory = nullptr);

/// Of a payload that another process may change meanwhile, as it may in shared memory: codecs check bytes and look at
/// them again, so they get a copy of each tile.
base::Result<> decode_shared(std::span<const std::byte> payload, const MutableArrayView& out,
                             const std::optional<Box>& box, int threads);

/// Whether the codec of that name is there; else why not, or which are.
base::Result<> check_codec(const std::string& name);

base::Result<codecs::PayloadInfo> inspect(std::span<const std::byte> payload);

}  // namespace staithe::transform
