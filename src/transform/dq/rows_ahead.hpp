// Rows of a tile on their way into the cache.
#pragma once

#include <cstddef>

#include "transform/dq/coding.hpp"

namespace staithe::transform::dq {

/// Fetches rows some time before their turn, to be read or written. Rows of a tile are short and lie apart: a processor
/// by itself notices a row only when it is half over, and then fetches more than there is. Worth a third of the time of
/// encoding, half of that of decoding.
/// `L` is the kind of lanes, so that files that are compiled for different processors share no function.
template <class L>
class RowsAhead {
  public:
    RowsAhead(const TileRows& tile, const std::byte* values, std::size_t item)
        : tile_(tile), values_(values), row_bytes_(tile.count[3] * item), w_(row_bytes_ > longest ? tile.count[0] : 0) {
        for (std::size_t bytes = 0; bytes < ahead; bytes += row_bytes_) {
            fetch_next();
        }
    }

    /// To be called once a row.
    void fetch_next() {
        if (w_ == tile_.count[0]) {
            return;
        }
        const std::byte* const row = values_ + static_cast<std::ptrdiff_t>(w_) * tile_.stride[0] +
                                     static_cast<std::ptrdiff_t>(z_) * tile_.stride[1] +
                                     static_cast<std::ptrdiff_t>(y_) * tile_.stride[2];
        for (std::size_t at = 0; at < row_bytes_; at += line) {
            __builtin_prefetch(row + at);
        }
        __builtin_prefetch(row + row_bytes_ - 1);
        if (++y_ == tile_.count[2]) {
            y_ = 0;
            if (++z_ == tile_.count[1]) {
                z_ = 0;
                ++w_;
            }
        }
    }

  private:
    static constexpr std::size_t ahead = 8192;    // bytes of rows
    static constexpr std::size_t longest = 8192;  // longer rows pay for being noticed
    static constexpr std::size_t line = 64;

    const TileRows& tile_;
    const std::byte* const values_;
    const std::size_t row_bytes_;
    std::size_t w_;  // the next row to fetch
    std::size_t z_ = 0;
    std::size_t y_ = 0;
};

}  // namespace staithe::transform::dq
