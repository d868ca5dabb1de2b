// Codecs from elsewhere: what a shared library must look like for Staithe to use it as a codec. C99 and C++; a plugin
// includes this header and links nothing of Staithe. examples/codec_plugin/ has one to begin with.
//
//     static const staithe_codec_plugin plugin = {STAITHE_CODEC_PLUGIN_ABI, sizeof(plugin), "halves", /* … */};
//     const staithe_codec_plugin* staithe_codec_plugin_get(void) { return &plugin; }
//
// It is loaded by its path: STAITHE_CODEC_PLUGINS names files, separated by colons; `staithe::codecs::load` and
// `staithe.codecs.load` take one. What decodes a payload must load the plugin that made it.
//
// A plugin is a bare compressor. It may be lossy, lossless or both. Tiles, boxes, threads, checksums, fill, NaN and
// complex numbers are Staithe's business; and whatever a plugin makes is decoded and compared before it is stored,
// value by value. Values that miss the bound are kept beside it, and a tile that a plugin fails at, or makes no
// smaller, is stored another way: so a plugin may be as careless as it likes with its bound. It may not be with memory:
// it is part of the process.
//
// Errors. Functions return 0, or another number if they failed, which `message` may put into words.
// Memory. Each pointer is the caller's, and valid during the call alone. The plugin's own structure and what it points
// to stay as they are until the process ends; a plugin is never unloaded. Blocks are aligned for their values, other
// bytes are not.
// Threads. Functions are called by several threads at a time, each with memory of its own.
// C++. An exception that leaves a function counts as a failure; in a plugin that was compiled without exceptions it
// ends the program. Versions. A plugin that was built with this ABI runs with every Staithe that has it. The structure
// may grow at its end: fields that `struct_size` leaves out are zero.
#ifndef STAITHE_CODEC_PLUGIN_H
#define STAITHE_CODEC_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define STAITHE_CODEC_EXPORT __attribute__((visibility("default")))
#else
#define STAITHE_CODEC_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define STAITHE_CODEC_PLUGIN_ABI 1u

/// Types of values; each is a bit of `lossy_types`.
#define STAITHE_CODEC_F32 1u
#define STAITHE_CODEC_F64 2u

/// What matters more: time, bytes, or bytes where that saves much.
#define STAITHE_CODEC_FAST 0u
#define STAITHE_CODEC_DENSE 1u
#define STAITHE_CODEC_AUTO 2u

/// Numbers, finite and dense in C order: the last dimension runs fastest. At most 2^19 of them.
typedef struct staithe_codec_block {
    const size_t* shape;
    uint32_t dimensions;  // 1 to `max_dimensions`
    uint32_t type;        // one of `lossy_types`
} staithe_codec_block;

typedef struct staithe_codec_plugin {
    uint32_t abi;          // STAITHE_CODEC_PLUGIN_ABI
    uint32_t struct_size;  // sizeof(staithe_codec_plugin)
    /// 1 to 16 lower-case letters, digits and any of `+-_.`; payloads have it in their header.
    const char* name;
    /// One line for people.
    const char* summary;

    // -- Lossy; all zero if it is not.
    uint32_t lossy_types;     // bits
    uint32_t max_dimensions;  // of a block, 1 to 8: what has more is folded
    /// How often Staithe may double the tolerance to see whether the bound still holds, 0 to 8: for a compressor whose
    /// errors are usually far below it.
    uint32_t raises;
    uint32_t reserved;  // 0
    /// Writes at most `capacity` bytes, which is as many as the block has, and how many they are. Each value should
    /// come back no further off than `tolerance`, which is above 0.
    int (*compress)(const staithe_codec_block* block, const void* values, double tolerance, uint32_t mode,
                    void* compressed, size_t capacity, size_t* size);
    /// Restores the block, with the tolerance that it was compressed with. The bytes were checked for damage, which
    /// does not keep those out that someone made on purpose.
    int (*decompress)(const staithe_codec_block* block, const void* compressed, size_t size, double tolerance,
                      void* values);

    // -- Lossless; null if it is not.
    /// Writes at most `capacity` bytes, which is `size`, and how many they are. The bytes are elements of `item` bytes.
    int (*pack)(const void* bytes, size_t size, size_t item, uint32_t mode, void* packed, size_t capacity,
                size_t* packed_size);
    /// Restores exactly `size` bytes.
    int (*unpack)(const void* packed, size_t packed_size, size_t item, void* bytes, size_t size);

    /// What a number that a function returned means; may be null, and return null. The text stays.
    const char* (*message)(int error);
} staithe_codec_plugin;

/// The one function that a plugin exports, by exactly this name.
STAITHE_CODEC_EXPORT const staithe_codec_plugin* staithe_codec_plugin_get(void);

#ifdef __cplusplus
}
#endif

#endif
