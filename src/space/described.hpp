// What users say, as keepers are told; what keepers found, as users get it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <staithe/space.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "space/keeper.hpp"

namespace staithe::space {

base::Result<> check_variable(const std::string& name);
base::Result<> check_container(const std::string& path);

/// A put of that block.
base::Result<store::space::Put> described(const std::string& variable, const ArrayView& block, const SpacePut& options,
                                          const store::space::Putter& by);
/// Its bytes, if they lie without a gap in the order that the description names.
[[nodiscard]] const std::byte* dense_bytes(const store::BlockDescription& description, const ArrayView& block);
/// Copies the block to where it is to lie, dense, unless it lies there.
void fill(std::byte* memory, const store::BlockDescription& description, const ArrayView& block);
/// Has it put by the keeper alone, and not with others.
base::Result<std::int64_t> put_alone(Keeper& keeper, store::space::Put put, const ArrayView& block,
                                     const base::Deadline& deadline);

/// The elements of a box of what was found; nothing: all.
base::Result<SpaceArray> array_in(const Found& found, const std::optional<Box>& box);

/// What meets these is asked for: themselves or, if there are very many, what they all lie in; none: all.
[[nodiscard]] std::vector<Box> boxes_to_ask_for(std::span<const Box> boxes);
/// The elements of all of these boxes, one box after the other.
base::Result<SpaceArray> values_in(const Found& found, std::span<const Box> boxes);

}  // namespace staithe::space
