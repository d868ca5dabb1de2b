// Plugins for tests, one for each NAUGHTY_... that this file is compiled with: each keeps its block as float32 (or, if
// it is lossless, as it is but for zeros at the end), and does one thing that no plugin should.
#include <staithe/codec_plugin.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifndef NAME
#define NAME "naughty"
#endif
#ifndef ABI
#define ABI STAITHE_CODEC_PLUGIN_ABI
#endif
#ifndef RAISES
#define RAISES 0
#endif

namespace {

std::size_t count_of(const staithe_codec_block& block) {
    std::size_t count = 1;
    for (std::uint32_t i = 0; i < block.dimensions; ++i) {
        count *= block.shape[i];
    }
    return count;
}

int compress(const staithe_codec_block* block, const void* values, double tolerance, std::uint32_t, void* compressed,
             std::size_t capacity, std::size_t* size) {
    const std::size_t count = count_of(*block);
    const auto* const from = static_cast<const double*>(values);
    std::vector<float> kept(from, from + count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(from[i]) || std::fpclassify(from[i]) == FP_SUBNORMAL) {
            std::abort();  // it was promised never to see this
        }
    }
#if defined(NAUGHTY_ALL)  // misses its bound everywhere
    for (float& value : kept) {
        value += static_cast<float>(3 * tolerance);
    }
#elif defined(NAUGHTY_SOME)  // misses its bound now and then
    for (std::size_t i = 0; i < count; i += 100) {
        kept[i] = i % 200 == 0 ? std::numeric_limits<float>::quiet_NaN() : kept[i] - static_cast<float>(3 * tolerance);
    }
#elif defined(NAUGHTY_FILL)  // turns values into others that may be fill
    for (std::size_t i = 0; i < count; i += 100) {
        kept[i] = std::round(kept[i]);
    }
#elif defined(NAUGHTY_THROW)
    throw std::runtime_error("compressing is beneath me");
#elif defined(NAUGHTY_THROW_NUMBER)
    throw 7;
#elif defined(NAUGHTY_FAIL)
    return 5;
#elif defined(NAUGHTY_AS_TOLD)  // by the environment of the process
    if (std::getenv("NAUGHTY_CRASHES") != nullptr) {
        std::abort();
    }
    if (const char* const seconds = std::getenv("NAUGHTY_SECONDS")) {
        std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(seconds)));
    }
    if (std::getenv("NAUGHTY_MISSES") != nullptr) {
        for (float& value : kept) {
            value += static_cast<float>(3 * tolerance);
        }
    }
#elif defined(NAUGHTY_CAREFUL)  // far below its tolerance
    for (std::size_t i = 0; i < count; ++i) {
        kept[i] += static_cast<float>((i % 2 == 0 ? tolerance : -tolerance) / 4.1);
    }
#endif
    *size = count * sizeof(float);
    if (*size > capacity) {
        return 1;
    }
    std::memcpy(compressed, kept.data(), *size);
#if defined(NAUGHTY_SIZE)
    *size = capacity + 1;
#elif defined(NAUGHTY_HUGE_SIZE)
    *size = std::numeric_limits<std::size_t>::max();
#elif defined(NAUGHTY_NO_SIZE)
    *size = 0;
#endif
    return 0;
}

int decompress(const staithe_codec_block* block, const void* compressed, std::size_t size, double, void* values) {
    const std::size_t count = count_of(*block);
    if (size != count * sizeof(float)) {
        return 2;
    }
#if defined(NAUGHTY_THROW_BACK)
    throw std::string("decompressing, too");
#elif defined(NAUGHTY_LAZY)  // writes nothing
    return 0;
#endif
    std::vector<float> kept(count);
    std::memcpy(kept.data(), compressed, size);
    auto* const to = static_cast<double*>(values);
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = kept[i];
    }
    return 0;
}

int pack(const void* bytes, std::size_t size, std::size_t, std::uint32_t, void* packed, std::size_t capacity,
         std::size_t* packed_size) {
    const auto* const from = static_cast<const unsigned char*>(bytes);
    while (size > 0 && from[size - 1] == 0) {
        --size;
    }
    if (size > capacity) {
        return 1;
    }
    std::memcpy(packed, from, size);
#if defined(NAUGHTY_SIZE)
    *packed_size = capacity + 1;
    return 0;
#elif defined(NAUGHTY_ALL)
    static_cast<unsigned char*>(packed)[0] ^= 1;
#elif defined(NAUGHTY_THROW)
    throw std::runtime_error("packing is beneath me");
#endif
    *packed_size = size;
    return 0;
}

int unpack(const void* packed, std::size_t packed_size, std::size_t, void* bytes, std::size_t size) {
    if (packed_size > size) {
        return 2;
    }
#if !defined(NAUGHTY_LAZY)
    std::memset(bytes, 0, size);
    std::memcpy(bytes, packed, packed_size);
#endif
    return 0;
}

const char* message(int error) { return error == 5 ? "I do not feel like it" : nullptr; }

}  // namespace

const staithe_codec_plugin* staithe_codec_plugin_get() {
#if defined(NAUGHTY_NULL)
    return nullptr;
#elif defined(NAUGHTY_GET)
    throw std::runtime_error("no plugin today");
#endif
    static staithe_codec_plugin plugin{};
    plugin.abi = ABI;
    plugin.struct_size = sizeof(plugin);
    plugin.name = NAME;
    plugin.summary = "does what no plugin should";
    plugin.message = message;
    plugin.lossy_types = STAITHE_CODEC_F64;
    plugin.max_dimensions = 2;
    plugin.raises = RAISES;
    plugin.compress = compress;
    plugin.decompress = decompress;
    plugin.pack = pack;
    plugin.unpack = unpack;
#if defined(NAUGHTY_EMPTY)
    plugin.lossy_types = 0;
    plugin.pack = nullptr;
#elif defined(NAUGHTY_HALF)
    plugin.decompress = nullptr;
#elif defined(NAUGHTY_LOSSLESS_HALF)
    plugin.unpack = nullptr;
#elif defined(NAUGHTY_FLAT)
    plugin.max_dimensions = 0;
#elif defined(NAUGHTY_SMALL)
    plugin.struct_size = 8;
#elif defined(NAUGHTY_FUTURE)
    plugin.reserved = 1;
#elif defined(NAUGHTY_NAMELESS)
    plugin.name = nullptr;
#endif
    return &plugin;
}
