// Elements of one tile through a lossy library and back, within the bound.
#pragma once

#include <cstdint>
#include <vector>

#include <staithe/transform.hpp>

#include "base/result.hpp"
#include "transform/scratch.hpp"
#include "transform/verified/library.hpp"
#include "transform/verified/verification.hpp"

namespace staithe::transform::verified {

/// What a library made of a tile, and what must be put right afterwards.
struct Bounded {
    std::vector<std::byte> coded{};
    double tolerance = 0.0;   // that the library was given
    std::uint8_t layers = 0;  // of exceptions
    std::vector<std::byte> exceptions{};

    [[nodiscard]] std::size_t bytes() const { return coded.size() + exceptions.size(); }
};

/// Elements of f32 or f64 that lie densely in C order. `invalid_argument` where the library is not up to them.
base::Result<Bounded> encode_bounded(const LossyLibrary& library, const ArrayView& elements, const Judgement& by,
                                     codecs::Mode mode, Scratch& scratch);

/// Into memory of elements that lie densely. `protocol` where the bytes are not what `encode_bounded` makes.
base::Result<> decode_bounded(const LossyLibrary& library, std::span<const std::byte> coded,
                              std::span<const std::byte> exceptions, std::uint8_t layers, double tolerance,
                              const MutableArrayView& elements);

/// Calls a library, which may throw whatever it likes.
template <class Call>
base::Result<> contained(const Call& call) {
    try {
        return call();
    } catch (const std::exception& error) {
        return base::fail(ErrorCode::invalid_argument, "{}", error.what());
    } catch (...) {
        return base::fail(ErrorCode::invalid_argument, "it threw what is no exception");
    }
}

}  // namespace staithe::transform::verified
