// The codec sperr: SPERR (Li, Lindstrom, Clyne 2023), wavelets and set partitioning, at a largest error for each point.
#include <SPERR_C_API.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <staithe/codec_plugin.h>

namespace {

using namespace C_API;

constexpr int largest_error = 3;  // which of its modes

enum Failure { refused = 1, no_smaller, damaged, out_of_reach };

const char* message(int error) {
    switch (error) {
        case no_smaller: return "it becomes no smaller";
        case damaged: return "the bytes are not what SPERR writes";
        case out_of_reach: return "the values are too large for this bound";
        default: return "SPERR does not take it";
    }
}

/// The lengths of a block along x, which runs fastest, y and z.
struct Lengths {
    explicit Lengths(const staithe_codec_block& block)
        : x(block.shape[block.dimensions - 1]),
          y(block.dimensions > 1 ? block.shape[block.dimensions - 2] : 1),
          z(block.dimensions > 2 ? block.shape[0] : 1) {}
    std::size_t x, y, z;
};

/// SPERR's integers have 64 bits; where they overflow, it crashes. So it gets values in units of about the tolerance,
/// and none that is larger than this. Its transform makes values at most 2^12 times larger.
constexpr double largest = 0x1p48;

/// The power of 2 that the values are multiplied with.
double scale_for(double tolerance) { return std::exp2(-std::ilogb(tolerance)); }

/// The values in that unit; nothing if some are too large.
template <class T>
std::vector<T> scaled(const void* values, std::size_t count, double scale) {
    const auto* const from = static_cast<const T*>(values);
    std::vector<T> result(count);
    bool good = std::isnormal(scale);
    for (std::size_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(from[i]) * scale;
        good = good && std::abs(value) <= largest;
        result[i] = static_cast<T>(value);
    }
    return good ? result : std::vector<T>();
}

template <class T>
void restore(const void* from, std::size_t count, double scale, void* values) {
    for (std::size_t i = 0; i < count; ++i) {
        static_cast<T*>(values)[i] = static_cast<T>(static_cast<double>(static_cast<const T*>(from)[i]) / scale);
    }
}

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

template <class T>
int compress_values(const Lengths& n, const void* values, double tolerance, void* compressed, std::size_t capacity,
                    std::size_t* size) {
    const double scale = scale_for(tolerance);
    const std::vector<T> in = scaled<T>(values, n.x * n.y * n.z, scale);
    if (in.empty()) {
        return out_of_reach;
    }
    constexpr int is_float = sizeof(T) == sizeof(float) ? 1 : 0;
    void* made = nullptr;
    const int error =
        n.z == 1 ? sperr_comp_2d(in.data(), is_float, n.x, n.y, largest_error, tolerance * scale, 0, &made, size)
                 : sperr_comp_3d(in.data(), is_float, n.x, n.y, n.z, n.x, n.y, n.z, largest_error, tolerance * scale, 1,
                                 &made, size);
    const Memory owner(made);
    if (error != 0 || *size > capacity) {
        return error != 0 ? refused : no_smaller;
    }
    std::memcpy(compressed, made, *size);
    return 0;
}

int compress(const staithe_codec_block* block, const void* values, double tolerance, std::uint32_t /*mode*/,
             void* compressed, std::size_t capacity, std::size_t* size) {
    return (block->type == STAITHE_CODEC_F32
                ? compress_values<float>
                : compress_values<double>)(Lengths(*block), values, tolerance, compressed, capacity, size);
}

int decompress(const staithe_codec_block* block, const void* compressed, std::size_t size, double tolerance,
               void* values) {
    const Lengths n(*block);
    const bool to_float = block->type == STAITHE_CODEC_F32;
    void* made = nullptr;
    Lengths found = n;
    const int error = n.z == 1
                          ? sperr_decomp_2d(compressed, size, to_float ? 1 : 0, n.x, n.y, &made)
                          : sperr_decomp_3d(compressed, size, to_float ? 1 : 0, 1, &found.x, &found.y, &found.z, &made);
    const Memory owner(made);
    if (error != 0 || found.x != n.x || found.y != n.y || found.z != n.z) {
        return damaged;
    }
    (to_float ? restore<float> : restore<double>)(made, n.x * n.y * n.z, scale_for(tolerance), values);
    return 0;
}

}  // namespace

const staithe_codec_plugin* staithe_codec_plugin_get() {
    static const staithe_codec_plugin plugin = [] {
        staithe_codec_plugin made{};
        made.abi = STAITHE_CODEC_PLUGIN_ABI;
        made.struct_size = sizeof(made);
        made.name = "sperr";
        made.summary = "SPERR, verified: wavelets, and set partitioning of their coefficients";
        made.lossy_types = STAITHE_CODEC_F32 | STAITHE_CODEC_F64;
        made.max_dimensions = 3;
        made.compress = compress;
        made.decompress = decompress;
        made.message = message;
        return made;
    }();
    return &plugin;
}
