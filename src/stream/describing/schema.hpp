// What a writer rank says of the blocks of its steps. Written when it differs from the last step's, and shared by all
// steps after. The bytes are described in docs/formats/step_record.md. Who reads them treats them as untrusted.
//
// A schema has two parts: the *head* says what the blocks are (name, dtype, shape, unit, attributes), most often the
// same on all ranks; then come their boxes. So a layout of thousands of ranks holds one head, and little more than
// boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "store/block.hpp"

namespace staithe::stream {

using store::BlockDescription;

base::Result<std::vector<std::byte>> encode_schema(std::span<const BlockDescription> blocks);
base::Result<std::vector<BlockDescription>> decode_schema(std::span<const std::byte> bytes);

/// The parts of a schema, in its bytes.
struct SchemaParts {
    std::span<const std::byte> head;
    std::span<const std::byte> boxes;
    std::size_t blocks = 0;
};
/// `protocol` unless there are the boxes that the head speaks of, and nothing else. What it says of them is not looked
/// at.
base::Result<SchemaParts> split_schema(std::span<const std::byte> bytes);

/// The blocks without their boxes; without their shapes, where these are local arrays.
base::Result<std::vector<BlockDescription>> decode_schema_head(std::span<const std::byte> head);
/// Takes the box of a block of that description, which is to lie in its shape.
base::Result<Box> take_box(base::ByteReader& boxes, const BlockDescription& block);

}  // namespace staithe::stream
