// Headers of objects (arrays and groups): messages, one after another, in one block or, of those that are many, in a
// chain of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"

namespace staithe::format::hdf5 {

/// Of a block with further messages.
struct Continuation {
    Address address = nowhere;
    std::uint64_t bytes = 0;
};

[[nodiscard]] Address add_header(std::span<const Message> messages, Tail& tail);
/// A block that headers, and blocks, can be continued with.
[[nodiscard]] Continuation add_block(std::span<const Message> messages, Tail& tail);
[[nodiscard]] Message encode_continuation(const Continuation& continuation);

/// What a header of a group has besides links and attributes.
[[nodiscard]] std::vector<Message> begin_group();
[[nodiscard]] bool is_group(std::span<const Message> messages);

/// All messages, those of its further blocks included, of headers of either version. `protocol` if it is damaged, or
/// has more bytes than are `left`, which become fewer: no block is of two headers, so that all have no more than the
/// file, unless it lies.
[[nodiscard]] base::Result<std::vector<Message>> read_header(const Image& image, Address address, std::uint64_t& left);

/// The first one of that kind; nullptr if there is none.
[[nodiscard]] const Message* find_message(std::span<const Message> messages, MessageKind kind);

}  // namespace staithe::format::hdf5
