// What a writer rank says of the blocks of its steps: name, dtype, box, attributes. Written when it differs from the
// last step's, and shared by all steps after. The bytes are described in docs/formats/step_record.md. Who reads them
// treats them as untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "store/block.hpp"

namespace staithe::stream {

using store::BlockDescription;

base::Result<std::vector<std::byte>> encode_schema(std::span<const BlockDescription> blocks);
/// How many blocks they claim to describe; the rest is not looked at.
std::size_t blocks_of_schema(std::span<const std::byte> bytes);
base::Result<std::vector<BlockDescription>> decode_schema(std::span<const std::byte> bytes);

}  // namespace staithe::stream
