#include "store/log/segment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

#include "base/rounding.hpp"
#include "os/shared_memory.hpp"
#include "transform/checksum.hpp"

namespace staithe::store::log {
namespace {

constexpr std::int64_t alignment = record_alignment;

/// Nothing where the file has no so many bytes more.
template <class T>
base::Result<std::optional<T>> number_at(Window& window, std::int64_t offset) {
    const auto bytes = window.at(offset, sizeof(T));
    if (!bytes) {
        return base::fail(bytes);
    }
    if (bytes->size() < sizeof(T)) {
        return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes->data(), sizeof(T));
    return value;
}

bool is_sound(const RecordHeader& header) {
    return header.magic == RecordHeader::known_magic && header.header_checksum == checksum_of(header) &&
           header.description_bytes <= longest_description && header.bytes <= INT64_MAX / 2 &&
           header.place <= last_possible_place;
}

base::Result<> check(std::span<const std::byte> bytes, std::uint64_t count, std::uint64_t checksum) {
    return bytes.size() == count && transform::checksum(bytes) == checksum
               ? base::Result<>()
               : base::fail(ErrorCode::protocol, "its bytes are not those that were written");
}

}  // namespace

std::uint64_t checksum_of(const RecordHeader& header) {
    return transform::checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(RecordHeader, header_checksum)));
}

std::uint64_t key_of(std::span<const std::byte> name) { return transform::checksum(name); }

base::Result<FoundSegment> scan_segment(const os::FileDescriptor& file, const std::string& path) {
    const auto size = os::size_of_file(file);
    if (!size) {
        return base::fail(size);
    }
    Window window(file);
    const auto first = number_at<SegmentHeader>(window, 0);
    if (!first) {
        return base::fail(first);
    }
    if (!*first) {  // made just before a crash
        return FoundSegment{.bytes = *size};
    }
    if ((*first)->magic != SegmentHeader::known_magic || (*first)->version != SegmentHeader::known_version) {
        return base::fail(ErrorCode::protocol, "{} is no file of a log, or of another version of Staithe: move it away",
                          path);
    }
    FoundSegment found{.bytes = *size};
    std::vector<std::pair<std::int64_t, std::int64_t>> gaps;  // where no record begins: from, to
    std::int64_t safe = 0;
    for (std::int64_t at = sizeof(SegmentHeader); at < *size;) {
        const auto header = number_at<RecordHeader>(window, at);
        if (!header) {
            return base::fail(header);
        }
        const std::int64_t body = at + static_cast<std::int64_t>(sizeof(RecordHeader));
        const auto length = *header && is_sound(**header)
                                ? static_cast<std::int64_t>((*header)->description_bytes + (*header)->bytes)
                                : INT64_MAX;
        if (length > *size - body) {  // torn off, or damaged
            if (gaps.empty() || gaps.back().second != at) {
                gaps.emplace_back(at, at);
            }
            at += alignment;
            gaps.back().second = at;
            continue;
        }
        found.records.push_back({**header, body});
        safe = std::max(safe, static_cast<std::int64_t>((*header)->before));
        at = base::round_up(body + length, alignment);
    }
    for (FoundRecord& record : found.records) {
        record.was_safe = record.at < safe;
    }
    for (const auto& [from, to] : gaps) {
        found.damaged += std::max<std::int64_t>(0, std::min(to, safe) - from);
    }
    return found;
}

base::Result<std::span<const std::byte>> RecordReader::description(const FoundRecord& record) {
    auto bytes = window_.at(record.at, record.header.description_bytes);
    auto checked =
        bytes ? check(*bytes, record.header.description_bytes, record.header.description_checksum) : base::fail(bytes);
    return checked ? std::move(bytes) : base::fail(std::move(checked));
}

base::Result<> RecordReader::read_bytes(const FoundRecord& record, std::byte* destination) {
    const std::span<std::byte> read(destination, record.header.bytes);
    const auto count = window_.copy(record.at + static_cast<std::int64_t>(record.header.description_bytes), read);
    return count ? check(read.first(*count), record.header.bytes, record.header.checksum) : base::fail(count);
}

}  // namespace staithe::store::log
