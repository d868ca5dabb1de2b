// HDF5's filter for chunks that are payloads of Staithe (docs/formats/payload.md). What HDF5 itself writes there is
// encoded exactly: it says nothing of bounds.
//
// HDF5 knows a plugin by two functions, and calls what they return: no function of HDF5's is called here, so that it is
// loaded beside any version of it. What it asks for is in the documentation, "HDF5 Dynamically Loaded Filters".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <span>

#include <staithe/error.hpp>
#include <staithe/transform.hpp>

namespace {

/// As H5Zpublic.h has it, in every version from 1.8 on.
struct FilterClass {
    int version;
    int number;
    unsigned has_encoder;
    unsigned has_decoder;
    const char* name;
    int (*can_apply)(std::int64_t, std::int64_t, std::int64_t);
    int (*set_local)(std::int64_t, std::int64_t, std::int64_t);
    std::size_t (*filter)(unsigned flags, std::size_t count, const unsigned* values, std::size_t bytes,
                          std::size_t* room, void** buffer);
};

constexpr int version_of_class = 1;
constexpr int kind_of_filters = 0;
constexpr unsigned is_reading = 0x0100;
/// src/format/hdf5/messages.cpp has the same.
constexpr int number_of_filter = 53617;

struct Chunk {
    staithe::Dtype dtype = staithe::Dtype::u8;
    staithe::Extents shape;
    bool operator==(const Chunk&) const = default;
};

/// What recorders say of the chunks of a dataset (docs/formats/hdf5_recording.md): version, dtype, lengths.
std::optional<Chunk> described_by(std::span<const unsigned> values) {
    constexpr unsigned version = 1;
    constexpr std::size_t before_lengths = 2;
    const auto dtype = values.size() < before_lengths ? std::nullopt : staithe::dtype_from_code(values[1]);
    if (!dtype || values.front() != version || values.size() > before_lengths + staithe::max_dimensions) {
        return std::nullopt;
    }
    Chunk chunk{.dtype = *dtype, .shape = {}};
    for (const unsigned length : values.subspan(before_lengths)) {
        chunk.shape.push_back(length);
    }
    return chunk;
}

/// All there is to know of a dataset of somebody else's is that it has bytes.
Chunk chunk_of(std::span<const unsigned> values, std::size_t bytes) {
    return described_by(values).value_or(
        Chunk{.dtype = staithe::Dtype::u8, .shape = {static_cast<std::int64_t>(bytes)}});
}

std::size_t encode(std::span<const unsigned> values, std::size_t bytes, std::size_t* room, void** buffer) {
    const Chunk chunk = chunk_of(values, bytes);
    if (staithe::size_in_bytes(chunk.shape, chunk.dtype) != static_cast<std::int64_t>(bytes)) {
        throw staithe::InvalidArgument("a chunk has other elements than its dataset says");
    }
    const auto payload = staithe::codecs::encode(staithe::ArrayView::row_major(*buffer, chunk.dtype, chunk.shape));
    void* const encoded = std::realloc(*buffer, payload.size());
    if (encoded == nullptr) {
        throw std::bad_alloc();
    }
    std::ranges::copy(payload, static_cast<std::byte*>(encoded));
    *buffer = encoded;
    *room = payload.size();
    return payload.size();
}

/// HDF5 believes that what it gets is a chunk, and takes the buffer that it gave for another one of malloc's.
std::size_t decode(std::span<const unsigned> values, std::size_t bytes, std::size_t* room, void** buffer) {
    const std::span payload(static_cast<const std::byte*>(*buffer), bytes);
    const auto info = staithe::codecs::inspect(payload);
    if (Chunk{.dtype = info.dtype, .shape = info.shape} != chunk_of(values, static_cast<std::size_t>(info.raw_bytes))) {
        throw staithe::ProtocolError("a chunk has other elements than its dataset says");
    }
    const auto decoded = static_cast<std::size_t>(info.raw_bytes);
    void* const elements = std::malloc(decoded);
    if (elements == nullptr) {
        throw std::bad_alloc();
    }
    try {
        staithe::codecs::decode(payload, staithe::MutableArrayView::row_major(elements, info.dtype, info.shape));
    } catch (...) {
        std::free(elements);
        throw;
    }
    std::free(*buffer);
    *buffer = elements;
    *room = decoded;
    return decoded;
}

/// 0: it failed. HDF5 has a stack of errors, which it says nothing more into than that.
std::size_t filter(unsigned flags, std::size_t count, const unsigned* values, std::size_t bytes, std::size_t* room,
                   void** buffer) {
    try {
        return (flags & is_reading) != 0 ? decode({values, count}, bytes, room, buffer)
                                         : encode({values, count}, bytes, room, buffer);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "staithe, as a filter of HDF5: %s\n", error.what());
        return 0;
    }
}

constexpr FilterClass filter_class{.version = version_of_class,
                                   .number = number_of_filter,
                                   .has_encoder = 1,
                                   .has_decoder = 1,
                                   .name = "staithe: payloads of its codecs",
                                   .can_apply = nullptr,
                                   .set_local = nullptr,
                                   .filter = filter};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): HDF5 has named them.
extern "C" {

[[gnu::visibility("default")]] int H5PLget_plugin_type() { return kind_of_filters; }
[[gnu::visibility("default")]] const void* H5PLget_plugin_info() { return &filter_class; }
}
// NOLINTEND(readability-identifier-naming)
