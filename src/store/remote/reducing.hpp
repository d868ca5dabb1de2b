// What becomes of parts of blocks where whoever asks wants them reduced: their owner sends a few bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "store/reducing/reduction.hpp"
#include "store/remote/coding.hpp"
#include "store/remote/transfer.hpp"

namespace staithe::store::remote {

/// That of the part which its offer wants. `invalid_argument` for what cannot be reduced so, and what is too large.
base::Result<std::optional<std::vector<std::byte>>> reduce(const Offer& offer, const PartToCode& part);

/// Whether it has fewer bytes once it was made part of the reduction.
bool is_less_reduced(const Piece& piece, reducing::Reduction& into);

/// Of a transfer to states, of which there is one for all elements along a stride of 0.
std::int64_t bytes_reduced(const Transfer& transfer, const reducing::Recipe& recipe);

/// Appends the transfer to such states, by the offer that it has besides, to be reduced by its owner: in parts, each of
/// which is soon done, and of few bytes against those that it is made of.
void append_to_reduce(std::vector<Transfer>& transfers, Transfer transfer, const reducing::Recipe& recipe);

/// Bytes of what a transfer that was to be reduced becomes.
std::int64_t reduced_bytes(const Transfer& transfer);
/// Merges these into what is there.
void merge_reduced(const Transfer& transfer, std::span<const std::byte> reduced);

}  // namespace staithe::store::remote
