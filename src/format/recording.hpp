// Steps of a stream in files: the interface of all formats. Each is a folder, and a row in formats.cpp.
//
// Bytes alone: nothing here knows of streams, of memory that is shared, or of other processes. One thread at a time,
// unless it is said.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/dtype.hpp>
#include <staithe/transform.hpp>
#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/filters.hpp"

namespace staithe::format {

/// All of an array but its elements.
struct ArrayInfo {
    std::string name;
    Dtype dtype = Dtype::u8;
    Extents shape{};
    std::string unit{};
    Attributes attributes{};

    friend bool operator==(const ArrayInfo&, const ArrayInfo&) = default;
};

/// A part of an array, in memory.
struct ArrayPart {
    Box box;
    ArrayView elements;
};

/// How chunks of an array are compressed.
enum class Packing : std::uint8_t {
    none,
    blosc,    // as stock tools know it: blosc.hpp
    payload,  // docs/formats/payload.md: by one of the codecs of src/transform
    coded,    // as another program has stored them: filters.hpp
    absent,   // not at all: there are no chunks
};

/// Bytes of an element, of which the dtype says how many count.
using FillValue = std::array<std::byte, 16>;

/// Which one of the chunks of a shard: a file of many, of which its index says where each lies.
struct InShard {
    std::int64_t chunk = 0;
    std::int64_t chunks = 1;  // that the shard may have
};

/// A part of an array, in a file: its elements are there in C order.
struct StoredPart {
    Box box;
    std::string path;
    std::int64_t offset = 0;  // in the file, or in the chunk that was compressed
    std::int64_t bytes = 0;   // of the elements
    Packing packing = Packing::none;
    Dtype dtype = Dtype::u8;            // of what was packed:
    Extents packed_shape{};             // that chunk, all of it,
    std::int64_t packed_bytes = 0;      // and how many bytes that was
    std::int64_t packed_at = 0;         // where it begins in the file
    std::int64_t stored_bytes = 0;      // and how many it has there, unless that is all of the file
    std::optional<InShard> in_shard{};  // then its shard says where the chunk lies
    /// Of chunks that are `coded`: what else they are, filters that this one has not gone through, a bit each, and how
    /// far its elements lie from each other, in bytes, along each dimension.
    std::shared_ptr<const ChunkCoding> coding{};
    std::uint32_t left_out = 0;
    Extents strides{};
    /// What all its elements are where its chunk is not stored; none: it must be.
    std::optional<FillValue> fill{};
};

template <class Part>
struct ArrayOf {
    ArrayInfo info;
    std::vector<Part> parts;  // that share no element; of what is stored together all of it
};

/// Some elements of an array, dense, into others or in place.
using Rounding = std::function<void(const MutableArrayView& to, const ArrayView& from)>;

struct ArrayToStore : ArrayOf<ArrayPart> {
    /// Has the elements, so that they may be written later; null: they are there until append() returns.
    std::shared_ptr<const void> keeps{};
    /// If elements are many enough; else they are stored as they are.
    Packing packing = Packing::none;
    /// Before Blosc, elements become what this makes of them; null: they stay as they are.
    Rounding round{};
    /// How payloads are made; of chunks that are packed otherwise the codec alone.
    codecs::EncodeOptions coding{};
    /// How far values may be off then: the attribute "error" of the array, unless it is exact.
    codecs::Bound error{};
};

template <class Array>
struct StepOf {
    std::int64_t number = 0;
    Attributes attributes{};
    std::vector<Array> arrays{};
};

using StepToStore = StepOf<ArrayToStore>;
using StoredArray = ArrayOf<StoredPart>;
using StoredStep = StepOf<StoredArray>;

class RecordingWriter {
  public:
    RecordingWriter() = default;
    virtual ~RecordingWriter() = default;
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    /// The number of the newest step that it has.
    [[nodiscard]] virtual std::optional<std::int64_t> newest() const = 0;
    /// It counts from the next publish() on. Of one that fails nothing is seen, and the next one takes its place.
    /// `invalid_argument` says what such a file cannot hold. Elements that are kept may be written until the next call
    /// returns: so it may be told then that they could not be, and the step that was appended by it is lost with them.
    virtual base::Result<> append(const StepToStore& step) = 0;
    /// All steps that were appended are on disk when this returns, and seen by others. If it fails, those that it names
    /// are not, and the next one takes their place; or nobody knows whether they are, and no more can be appended.
    virtual base::Result<> publish() = 0;
};

/// What it has when it is opened.
class RecordingReader {
  public:
    RecordingReader() = default;
    virtual ~RecordingReader() = default;
    RecordingReader(const RecordingReader&) = delete;
    RecordingReader& operator=(const RecordingReader&) = delete;

    /// Of the stream.
    [[nodiscard]] virtual const Attributes& attributes() const = 0;
    /// The numbers of its steps, in the order in which they were written.
    [[nodiscard]] virtual const std::vector<std::int64_t>& steps() const = 0;
    /// Where the one of that place lies.
    [[nodiscard]] virtual base::Result<StoredStep> step(std::size_t place) const = 0;
    /// Of a part that is not packed, fills `elements` with bytes of its elements, from byte `first` on. Any thread, at
    /// any time. `protocol` if they are not there.
    virtual base::Result<> read(const StoredPart& part, std::int64_t first, std::span<std::byte> elements) const = 0;
    /// The chunk that a packed part is of, as it is stored: see packing.hpp. Nothing if it is not, and the part has a
    /// fill value. Likewise.
    [[nodiscard]] virtual base::Result<std::optional<std::vector<std::byte>>> read_packed(
        const StoredPart& part) const = 0;
};

}  // namespace staithe::format
