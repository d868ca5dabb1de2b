#include "transform/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace staithe::transform {

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

std::optional<Fingerprint> fingerprint(const ArrayView& array, std::string_view said) noexcept {
    constexpr std::int64_t shortest_run = 4096;
    std::size_t outer = array.dimensions();
    std::int64_t run = size_of(array.dtype);
    std::int64_t runs = 1;
    for (; outer > 0 && (array.strides[outer - 1] == run || array.shape[outer - 1] == 1); --outer) {
        run *= array.shape[outer - 1];
    }
    for (std::size_t i = 0; i < outer; ++i) {
        runs *= array.shape[i];
    }
    if (runs > 1 && run < shortest_run) {
        return std::nullopt;
    }
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, &array.dtype, sizeof(array.dtype));
    for (const std::int64_t length : array.shape) {
        XXH3_128bits_update(&state, &length, sizeof(length));
    }
    XXH3_128bits_update(&state, said.data(), said.size());
    for (std::int64_t number = 0; number < runs; ++number) {
        std::int64_t place = 0;
        for (std::int64_t rest = number, i = static_cast<std::int64_t>(outer); i > 0; --i) {
            const auto along = static_cast<std::size_t>(i - 1);
            place += rest % array.shape[along] * array.strides[along];
            rest /= array.shape[along];
        }
        XXH3_128bits_update(&state, static_cast<const std::byte*>(array.data) + place, static_cast<std::size_t>(run));
    }
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    return Fingerprint{digest.high64, digest.low64};
}

}  // namespace staithe::transform
