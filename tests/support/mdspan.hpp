// What std::mdspan (C++23) and its reference implementation have, as far as the tests need it.
#pragma once

#include <array>
#include <cstddef>

namespace staithe::testing {

template <class T, std::size_t Rank>
class Mdspan {
  public:
    using Lengths = std::array<std::size_t, Rank>;

    Mdspan(T* data, Lengths extents, Lengths strides) : data_(data), extents_(extents), strides_(strides) {}
    [[nodiscard]] static constexpr std::size_t rank() { return Rank; }
    [[nodiscard]] const Lengths& extents() const { return extents_; }
    [[nodiscard]] std::size_t extent(std::size_t dimension) const { return extents_[dimension]; }
    [[nodiscard]] std::size_t stride(std::size_t dimension) const { return strides_[dimension]; }
    [[nodiscard]] T* data_handle() const { return data_; }

  private:
    T* data_;
    Lengths extents_;
    Lengths strides_;
};

}  // namespace staithe::testing
