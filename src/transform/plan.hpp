// All that encoding the tiles of one array takes: what `encode` and `probe` share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <staithe/transform.hpp>

#include "transform/codec.hpp"
#include "transform/payload.hpp"

namespace staithe::transform {

struct Plan {
    const Codec* codec = nullptr;
    const Codec* next_best = nullptr;  // for tiles that the codec gives up, if it is one that does
    TileOptions options;
    double bound = 0.0;  // what the payload says: absolute; 0: exact
    ArrayView array;
    Extents tile{};
    std::int64_t tiles = 0;

    [[nodiscard]] ArrayView tile_of(std::int64_t number) const;
};

/// Checks the options and resolves the bound.
base::Result<Plan> plan_for(const ArrayView& array, const codecs::EncodeOptions& options);

struct CodedTile {
    TileMethod method = TileMethod::raw;
    double bound = 0.0;  // that its values keep; not said where that is the plan's
};

/// Appends the tile, coded, or raw where that makes it no smaller.
base::Result<CodedTile> encode_tile(const Plan& plan, std::int64_t number, Scratch& scratch,
                                    std::vector<std::byte>& out);

/// As `encode_tile`, but for the plan.
using CodeTile =
    std::function<base::Result<CodedTile>(std::int64_t number, Scratch& scratch, std::vector<std::byte>& out)>;

/// The payload of the plan's array, whose tiles `code` codes, in any order and several at once.
base::Result<std::vector<std::byte>> encode_by(const CodeTile& code, const Plan& plan,
                                               const codecs::EncodeOptions& options);

}  // namespace staithe::transform
