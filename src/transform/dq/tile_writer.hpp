// Encodes one tile whose rows are ready.
#pragma once

#include <cstddef>
#include <vector>

#include "transform/codec.hpp"
#include "transform/dq/predictors.hpp"

namespace staithe::transform::dq {

class TileWriter {
  public:
    TileWriter(const Kernels& kernels, const TileRows& tile, const std::byte* values, Dtype element, codecs::Mode mode,
               Scratch& scratch, std::vector<std::byte>& out);

    void write_exact();
    /// float or double, exactly where the bound is too fine for quantising.
    template <class T>
    void write_quantised(const TileOptions& options);

  private:
    struct Exceptions {
        std::size_t all = 0;
        std::size_t misses = 0;  // those that a finer step might help, about; 0 if there are few exceptions
    };

    template <class T>
    Exceptions write_with(const Quantiser<T>& quantiser);
    template <class CountMisses>
    Exceptions write(const Manner& manner, const CountMisses& count_misses);
    template <class CountMisses>
    Exceptions write_as(const Choice& choice, const Manner& manner, const CountMisses& count_misses);
    /// Calls what writes the tile once more, which was written from `begin` on. The smaller one stays.
    template <class Write>
    void write_if_smaller(std::size_t begin, const Write& write);
    void write_planes(EncodeJob& job, const Manner& manner, TileHeader& header);
    void write_entropy(EncodeJob& job, const Manner& manner, TileHeader& header);
    void append_header(TileHeader& header, const Manner& manner, bool anything);
    void append(const void* from, std::size_t bytes);

    const Kernels& kernels_;
    const TileRows tile_;
    const std::byte* const values_;
    const Dtype element_;
    const std::size_t item_;
    const codecs::Mode mode_;
    Scratch& scratch_;
    std::vector<std::byte>& out_;
};

extern template void TileWriter::write_quantised<float>(const TileOptions& options);
extern template void TileWriter::write_quantised<double>(const TileOptions& options);

}  // namespace staithe::transform::dq
