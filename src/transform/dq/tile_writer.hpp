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
    template <class T>
    std::size_t write_with(const Quantiser<T>& quantiser);
    /// These return how many exceptions there were.
    std::size_t write(const Manner& manner);
    std::size_t write_as(const Choice& choice, const Manner& manner);
    template <class Write>
    std::size_t keep_smaller(std::size_t begin, std::size_t exceptions, const Write& write);
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
