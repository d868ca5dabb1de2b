#include "store/log/segment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

#include "os/files.hpp"
#include "os/shared_memory.hpp"
#include "transform/checksum.hpp"

namespace staithe::store::log {
namespace {

constexpr std::int64_t alignment = record_alignment;

/// A file from front to back, some of it at a time.
class Window {
  public:
    Window(const os::FileDescriptor& file, std::int64_t size) : file_(file), size_(size) {}

    [[nodiscard]] std::int64_t size() const { return size_; }
    /// Nothing where the file has no so many bytes more.
    template <class T>
    base::Result<std::optional<T>> at(std::int64_t offset) {
        if (offset + static_cast<std::int64_t>(sizeof(T)) > size_) {
            return std::nullopt;
        }
        if (offset < begin_ || offset + static_cast<std::int64_t>(sizeof(T)) > begin_ + std::ssize(bytes_)) {
            begin_ = offset;
            bytes_.resize(static_cast<std::size_t>(std::min<std::int64_t>(longest, size_ - offset)));
            const auto count = os::read_at(file_, begin_, bytes_);
            if (!count) {
                return base::fail(count);
            }
            bytes_.resize(*count);
            if (*count < sizeof(T)) {  // it became shorter
                return std::nullopt;
            }
        }
        T value;
        std::memcpy(&value, bytes_.data() + (offset - begin_), sizeof(T));
        return value;
    }

  private:
    static constexpr std::int64_t longest = std::int64_t{64} << 10;
    const os::FileDescriptor& file_;
    const std::int64_t size_;
    std::int64_t begin_ = 0;
    std::vector<std::byte> bytes_;
};

bool is_sound(const RecordHeader& header) {
    return header.magic == RecordHeader::known_magic && header.header_checksum == checksum_of(header) &&
           header.description_bytes <= longest_description && header.bytes <= INT64_MAX / 2 &&
           header.place <= last_possible_place;
}

base::Result<> read_checked(const os::FileDescriptor& file, std::int64_t at, std::span<std::byte> destination,
                            std::uint64_t checksum) {
    const auto count = os::read_at(file, at, destination);
    if (!count) {
        return base::fail(count);
    }
    return *count == destination.size() && transform::checksum(destination) == checksum
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
    Window window(file, *size);
    const auto first = window.at<SegmentHeader>(0);
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
        const auto header = window.at<RecordHeader>(at);
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
        at = (body + length + alignment - 1) / alignment * alignment;
    }
    for (FoundRecord& record : found.records) {
        record.was_safe = record.at < safe;
    }
    for (const auto& [from, to] : gaps) {
        found.damaged += std::max<std::int64_t>(0, std::min(to, safe) - from);
    }
    return found;
}

base::Result<std::vector<std::byte>> read_description(const os::FileDescriptor& file, const FoundRecord& record) {
    std::vector<std::byte> description(record.header.description_bytes);
    auto read = read_checked(file, record.at, description, record.header.description_checksum);
    return read ? base::Result<std::vector<std::byte>>(std::move(description)) : base::fail(std::move(read));
}

base::Result<> read_bytes(const os::FileDescriptor& file, const FoundRecord& record, std::byte* destination) {
    return read_checked(file, record.at + static_cast<std::int64_t>(record.header.description_bytes),
                        {destination, record.header.bytes}, record.header.checksum);
}

}  // namespace staithe::store::log
