// A codec plugin to begin with: scale and offset, as weather services pack their numbers. A block becomes its smallest
// value and one integer a value, of 1, 2 or 4 bytes, which counts steps of twice the tolerance from there.
//
//     cc -O2 -shared -fPIC $(staithe config --cflags) scale_offset.c -o scale_offset.so -lm
//
// It need not care for NaN, fill, or rounding that misses the bound by a hair: Staithe compares what it brings back.
#include <math.h>
#include <staithe/codec_plugin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// What compressed blocks begin with.
struct header {
    double offset;
    uint64_t width;  // bytes of an integer
};

enum { too_many_steps = 1, no_room, damaged };

static const char* message(int error) {
    static const char* const messages[] = {"the values are more than 2^32 steps apart", "it becomes no smaller",
                                           "the compressed block is damaged"};
    return messages[error - 1];
}

static double value_at(const staithe_codec_block* block, const void* values, size_t i) {
    return block->type == STAITHE_CODEC_F32 ? ((const float*)values)[i] : ((const double*)values)[i];
}

static size_t count_of(const staithe_codec_block* block) {
    size_t count = 1;
    for (uint32_t i = 0; i < block->dimensions; ++i) {
        count *= block->shape[i];
    }
    return count;
}

static int compress(const staithe_codec_block* block, const void* values, double tolerance, uint32_t mode,
                    void* compressed, size_t capacity, size_t* size) {
    (void)mode;  // there is one way to do it
    const size_t count = count_of(block);
    double smallest = value_at(block, values, 0);
    double largest = smallest;
    for (size_t i = 1; i < count; ++i) {
        smallest = fmin(smallest, value_at(block, values, i));
        largest = fmax(largest, value_at(block, values, i));
    }
    const double steps = (largest - smallest) / (2 * tolerance);
    if (!(steps < UINT32_MAX)) {
        return too_many_steps;
    }
    const struct header header = {smallest, steps < UINT8_MAX ? 1 : steps < UINT16_MAX ? 2 : 4};
    *size = sizeof(header) + count * header.width;
    if (*size > capacity) {
        return no_room;
    }
    memcpy(compressed, &header, sizeof(header));
    unsigned char* to = (unsigned char*)compressed + sizeof(header);
    for (size_t i = 0; i < count; ++i, to += header.width) {
        const uint32_t step = (uint32_t)((value_at(block, values, i) - smallest) / (2 * tolerance) + 0.5);
        memcpy(to, &step, header.width);  // its lower bytes: this is for little-endian machines
    }
    return 0;
}

static int decompress(const staithe_codec_block* block, const void* compressed, size_t size, double tolerance,
                      void* values) {
    struct header header;
    if (size < sizeof(header)) {
        return damaged;
    }
    memcpy(&header, compressed, sizeof(header));
    const size_t count = count_of(block);
    if (header.width > sizeof(uint32_t) || size != sizeof(header) + count * header.width) {
        return damaged;
    }
    const unsigned char* from = (const unsigned char*)compressed + sizeof(header);
    for (size_t i = 0; i < count; ++i, from += header.width) {
        uint32_t step = 0;
        memcpy(&step, from, header.width);
        const double value = header.offset + step * (2 * tolerance);
        if (block->type == STAITHE_CODEC_F32) {
            ((float*)values)[i] = (float)value;
        } else {
            ((double*)values)[i] = value;
        }
    }
    return 0;
}

const staithe_codec_plugin* staithe_codec_plugin_get(void) {
    static const staithe_codec_plugin plugin = {
        .abi = STAITHE_CODEC_PLUGIN_ABI,
        .struct_size = sizeof(staithe_codec_plugin),
        .name = "scale-offset",
        .summary = "integers that count steps from the smallest value; an example of a plugin",
        .lossy_types = STAITHE_CODEC_F32 | STAITHE_CODEC_F64,
        .max_dimensions = 8,
        .compress = compress,
        .decompress = decompress,
        .message = message,
    };
    return &plugin;
}
