// A file of a log, as its bytes lie: docs/formats/space_log.md.
//
// Nothing is trusted that is read: what was torn off by a crash, or damaged since, is found by checksums, and what
// comes after it all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "store/log/window.hpp"

namespace staithe::store::log {

struct SegmentHeader {
    static constexpr std::uint64_t known_magic = 0x474f4c4854494154;  // "TAITHLOG"
    static constexpr std::uint32_t known_version = 1;
    std::uint64_t magic = known_magic;
    std::uint32_t version = known_version;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(SegmentHeader) == 16 && std::is_trivially_copyable_v<SegmentHeader>);

/// Records begin at multiples of it.
constexpr std::size_t record_alignment = 8;

enum class RecordKind : std::uint32_t {
    kept = 1,    // a description and bytes
    killed = 2,  // its bytes are the places of records that nobody wants any more
    mark = 3,    // says how much before it was safe
};

/// Before each record; its description and its bytes follow.
struct RecordHeader {
    static constexpr std::uint32_t known_magic = 0x4c545253;  // "SRTL"
    std::uint32_t magic = known_magic;
    RecordKind kind = RecordKind::kept;
    std::uint64_t place = 0;   // among all of the log, from 1 on
    std::uint64_t key = 0;     // records with the same belong together
    std::uint64_t before = 0;  // so many bytes of this file were safe on disk when it was written
    std::uint64_t description_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t description_checksum = 0;
    std::uint64_t checksum = 0;         // of the bytes
    std::uint64_t header_checksum = 0;  // of what is before
};
static_assert(sizeof(RecordHeader) == 72 && std::is_trivially_copyable_v<RecordHeader>);

[[nodiscard]] std::uint64_t checksum_of(const RecordHeader& header);
/// Of records that belong to what is named so.
[[nodiscard]] std::uint64_t key_of(std::span<const std::byte> name);
constexpr std::uint64_t longest_description = std::uint64_t{1} << 30;  // more than comes in a message
constexpr std::uint64_t last_possible_place = UINT64_MAX / 2;

/// What was found of a record.
struct FoundRecord {
    RecordHeader header;
    std::int64_t at = 0;   // of its description
    bool was_safe = true;  // it was on disk once, whole: if it is not, it was damaged since
};

struct FoundSegment {
    std::int64_t bytes = 0;              // of the file
    std::vector<FoundRecord> records{};  // whose headers are sound, in the order of the file
    std::int64_t damaged = 0;            // bytes that once were safe, of which nobody knows what they were
};

/// All records of a file, but for their descriptions and bytes. `protocol` if it is none of a log's.
base::Result<FoundSegment> scan_segment(const os::FileDescriptor& file, const std::string& path);

/// Reads the records of a file; those in its order together.
class RecordReader {
  public:
    explicit RecordReader(const os::FileDescriptor& file) : window_(file) {}

    /// Stays until something else is read. Nothing if it is not what was written.
    base::Result<std::span<const std::byte>> description(const FoundRecord& record);
    base::Result<> read_bytes(const FoundRecord& record, std::byte* destination);

  private:
    Window window_;
};

}  // namespace staithe::store::log
