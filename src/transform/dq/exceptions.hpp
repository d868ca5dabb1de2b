// The exceptions of a tile: values that are kept bit by bit beside the quantised ones.
//
// They come in two layers: those that hold the value that most of them hold, which is fill or NaN, and the others. A
// layer says which values are meant: a bit for each word of 16 values (a row begins a new one) that has any; a bit for
// each of those that is all of it; then the other words themselves. So land in an ocean field costs next to nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transform/dq/coding.hpp"
#include "transform/dq/exception_words.hpp"
#include "transform/dq/tile_format.hpp"

namespace staithe::transform::dq {

/// Appends the layers and returns which. `words` are those of the tile's rows, at least one bit of them is set; they
/// are used up.
std::uint8_t append_exceptions(const TileRows& tile, const std::byte* values, std::size_t item, std::uint16_t* words,
                               std::vector<std::byte>& out);

/// The same of so many exceptions if those that hold one value, likely the most common, have been taken out. `common`
/// has room for words in any case; they are used up, too.
std::uint8_t append_exceptions(const TileRows& tile, const std::byte* values, std::size_t item, std::uint16_t* words,
                               std::size_t exceptions, CommonExceptions& common, std::vector<std::byte>& out);

/// Puts them back in their places; false if the bytes are not what `append_exceptions` makes.
bool restore_exceptions(std::span<const std::byte> in, std::uint8_t layers, const TileRows& tile, std::byte* values,
                        std::size_t item);

/// The same in three steps, of which the first may come before the values are there. Each is false if there is too
/// little to take. Layers that are not there are passed over.
class StoredExceptions {
  public:
    /// `words`: room for those of the tile.
    StoredExceptions(std::span<const std::byte> in, std::uint8_t layers, const TileRows& tile, std::size_t item,
                     std::uint16_t* words)
        : in_(in), layers_(layers), tile_(tile), item_(item), words_(words) {}

    /// Which hold the common value; no words if there is no such layer.
    bool take_common(CommonExceptions& common);
    void put_common(const CommonExceptions& common, std::byte* values) const;
    /// Ends the use of what `take_common` gave. False, too, if something is left.
    bool put_others(std::byte* values);

  private:
    Taker in_;
    const std::uint8_t layers_;
    const TileRows& tile_;
    const std::size_t item_;
    std::uint16_t* const words_;
};

}  // namespace staithe::transform::dq
