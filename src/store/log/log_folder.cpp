#include "store/log/log_folder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <filesystem>
#include <future>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "transform/checksum.hpp"

namespace staithe::store::log {
namespace {

constexpr std::size_t copied_at_most = std::size_t{64} << 10;  // bytes of a record, to be written with others
constexpr std::string_view prefix = "log.";

/// 0 if it is no segment's.
std::int64_t number_in(const std::string& name) {
    std::int64_t number = 0;
    const char* const end = name.data() + name.size();
    const bool is_one =
        name.starts_with(prefix) && std::from_chars(name.data() + prefix.size(), end, number).ptr == end && number > 0;
    return is_one ? number : 0;
}

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Gathers what is small.
class Appending {
  public:
    explicit Appending(const os::FileDescriptor& file) : file_(file) {}

    base::Result<> add(std::span<const std::byte> bytes) {
        if (bytes.size() <= copied_at_most) {
            gathered_ += text_of(bytes);
            return gathered_.size() < 16 * copied_at_most ? base::Result<>() : flush();
        }
        auto flushed = flush();
        return flushed ? os::append(file_, text_of(bytes)) : flushed;
    }
    base::Result<> flush() {
        auto appended = os::append(file_, gathered_);
        gathered_.clear();
        return appended;
    }

  private:
    const os::FileDescriptor& file_;
    std::string gathered_;
};

std::span<const std::byte> bytes_of(const Entry& entry) {
    return entry.kind == RecordKind::killed ? std::as_bytes(std::span(entry.places)) : entry.bytes;
}

base::Result<FoundSegment> scan_file(const std::string& path) {
    const auto file = os::open_for_reading(path);
    return file ? scan_segment(*file, path) : base::fail(file);
}

/// A failure shows when it is locked.
void make_folder(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::create_directories(path, ignored)) {
        return;
    }
    // Else a crash of the machine may take it away again.
    for (auto each = std::filesystem::absolute(path, ignored); each.has_relative_path(); each = each.parent_path()) {
        static_cast<void>(os::sync_directory(each.parent_path().string()));
    }
}

}  // namespace

// Opening ---------------------------------------------------------------------------------------------------------

base::Result<LogFolder> LogFolder::open(const std::string& path, std::int64_t segment_bytes) {
    make_folder(path);
    auto lock = os::lock_directory(path, base::Deadline(base::Seconds(0)));
    if (!lock) {
        return lock.error().code == ErrorCode::timeout
                   ? base::fail(ErrorCode::already_exists,
                                "another server writes to {}: end it, or choose another folder", path)
                   : base::fail(std::move(lock));
    }
    LogFolder folder(path, *std::move(lock), segment_bytes);
    auto scanned = folder.scan();
    return scanned ? base::Result<LogFolder>(std::move(folder)) : base::fail(std::move(scanned));
}

bool LogFolder::has_file(const std::string& name) { return number_in(name) > 0; }

std::string LogFolder::path_of(std::int64_t number) const { return fmt::format("{}/{}{:06}", path_, prefix, number); }

base::Result<> LogFolder::scan() {
    std::vector<std::int64_t> numbers;
    for (const std::string& name : os::list_directory(path_)) {
        if (const std::int64_t number = number_in(name); number > 0) {
            numbers.push_back(number);
        }
    }
    std::ranges::sort(numbers);
    // There may be millions of records: files are looked through at the same time, and taken in their order.
    const auto at_once = static_cast<std::size_t>(os::usable_cores());
    struct Scan {
        base::Result<FoundSegment> found;
        std::future<void> ended{};  // destroyed first, which waits
    };
    std::deque<Scan> scanning;
    std::unordered_set<std::uint64_t> killed;
    for (std::size_t taken = 0, begun = 0; taken < numbers.size(); ++taken) {
        for (; begun < numbers.size() && scanning.size() < at_once; ++begun) {
            Scan& scan = scanning.emplace_back();
            scan.ended = std::async(std::launch::async,
                                    [&found = scan.found, path = path_of(numbers[begun])] { found = scan_file(path); });
        }
        scanning.front().ended.get();
        auto scanned = std::move(scanning.front().found);
        scanning.pop_front();
        if (auto sound = scanned ? take(numbers[taken], *std::move(scanned), killed) : base::fail(scanned); !sound) {
            return sound;
        }
    }
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        std::erase_if(found_[i].second,
                      [&](const FoundRecord& record) { return killed.contains(record.header.place); });
        segments_[i].living = std::ssize(found_[i].second);
    }
    // Files with records that were killed may be gone: all the same their places are not given again.
    for (const std::uint64_t place : killed) {
        last_place_ = std::max(last_place_, std::min(place, last_possible_place));
    }
    return {};
}

base::Result<> LogFolder::take(std::int64_t number, FoundSegment scanned, std::unordered_set<std::uint64_t>& killed) {
    const std::string path = path_of(number);
    const auto file = os::open_for_reading(path);
    if (!file) {
        return base::fail(file);
    }
    std::int64_t damaged = scanned.damaged;
    Segment segment{.number = number, .first_place = last_place_ + 1, .bytes = scanned.bytes};
    auto kept = scanned.records.begin();
    RecordReader reader(*file);
    for (const FoundRecord& record : scanned.records) {
        if (record.header.kind == RecordKind::kept && record.header.place <= last_place_) {  // which no log has written
            damaged += static_cast<std::int64_t>(record.header.bytes);
        } else if (record.header.kind == RecordKind::kept) {
            last_place_ = segment.last_place = record.header.place;
            *kept++ = record;
        } else if (record.header.kind == RecordKind::killed) {
            std::vector<std::uint64_t> places(record.header.bytes / sizeof(std::uint64_t));
            const bool is_whole = record.header.bytes % sizeof(std::uint64_t) == 0 &&
                                  reader.read_bytes(record, reinterpret_cast<std::byte*>(places.data()));
            if (is_whole) {
                killed.insert(places.begin(), places.end());
                std::ranges::copy(places, std::back_inserter(segment.kills));
            } else if (record.was_safe) {
                damaged += static_cast<std::int64_t>(record.header.bytes);
            }
        }
    }
    scanned.records.erase(kept, scanned.records.end());
    if (damaged > 0) {
        base::log(
            base::LogLevel::warn,
            "{} bytes of {} are damaged: versions that lay there are lost, and some that were removed may be back",
            damaged, path);
    }
    segments_.push_back(std::move(segment));
    found_.emplace_back(number, std::move(scanned.records));
    last_number_ = number;
    return {};
}

base::Result<> LogFolder::replay(base::FunctionRef<base::Result<>(const Replayed&)> visit) {
    for (auto& [number, found] : found_) {
        const auto records = std::exchange(found, {});  // there may be millions
        const auto file = os::open_for_reading(path_of(number));
        if (!file) {
            return base::fail(file);
        }
        RecordReader reader(*file);
        for (const FoundRecord& record : records) {
            const auto read = [&](std::byte* destination) { return reader.read_bytes(record, destination); };
            auto visited = visit({.place = record.header.place,
                                  .key = record.header.key,
                                  .bytes = record.header.bytes,
                                  .was_safe = record.was_safe,
                                  .description = reader.description(record),
                                  .read = read});
            if (!visited) {
                return visited;
            }
        }
    }
    found_.clear();
    return {};
}

// Writing ---------------------------------------------------------------------------------------------------------

std::vector<base::Result<>> LogFolder::write(std::span<const Entry> entries) {
    if (!unwritten_.empty()) {
        const Entry again{.kind = RecordKind::killed, .places = unwritten_};
        if (write_and_count(std::span(&again, 1))) {
            unwritten_.clear();
        }
    }
    std::vector<base::Result<>> results(entries.size(), write_and_count(entries));
    for (std::size_t i = 0; i < entries.size() && !results[i]; ++i) {
        const Entry& entry = entries[i];
        if (entries.size() > 1) {  // it may be another one that has no room
            results[i] = write_and_count(entries.subspan(i, 1));
        }
        if (!results[i]) {
            std::ranges::copy(entry.places, std::back_inserter(unwritten_));
            failed_.insert(entry.place);
        }
    }
    remove_dead();
    return results;
}

base::Result<> LogFolder::write_and_count(std::span<const Entry> entries) {
    auto written = write_together(entries);
    if (written) {
        count(entries);
    }
    return written;
}

base::Result<> LogFolder::write_together(std::span<const Entry> entries) {
    if (file_ && length_ >= segment_bytes_) {
        end();
    }
    if (!file_) {
        if (auto begun = begin_segment(); !begun) {
            return begun;
        }
    }
    auto appended = append(entries);
    auto written = appended ? os::sync(file_) : appended;
    if (!written) {
        take_back(!appended);
        return written;
    }
    safe_ = segments_.back().bytes = length_;
    return {};
}

/// What has come to the file since is none of the log's: nobody was told that it is safe.
void LogFolder::take_back(bool is_known) {
    const auto cut = os::cut(file_, safe_);
    if (!cut || !is_known) {  // nobody can say what the disk has: nothing is written after it
        file_ = {};
    }
    length_ = safe_;
}

base::Result<> LogFolder::begin_segment() {
    const std::int64_t number = last_number_ + 1;
    auto file = os::create_file(path_of(number));
    if (!file) {
        return base::fail(std::move(file));
    }
    last_number_ = number;
    const SegmentHeader header;
    auto made = os::append(*file, text_of(std::as_bytes(std::span(&header, 1))));
    made = made ? os::sync_directory(path_) : made;
    if (!made) {
        os::remove_file(path_of(number));
        return made;
    }
    file_ = *std::move(file);
    length_ = safe_ = sizeof(header);
    segments_.push_back({.number = number, .first_place = last_place_ + 1, .bytes = length_});
    return {};
}

base::Result<> LogFolder::append(std::span<const Entry> entries) {
    static constexpr std::array<std::byte, record_alignment> zeros{};
    Appending appending(file_);
    for (const Entry& entry : entries) {
        const auto bytes = bytes_of(entry);
        RecordHeader header{.kind = entry.kind,
                            .place = entry.place,
                            .key = entry.key,
                            .before = static_cast<std::uint64_t>(safe_),
                            .description_bytes = entry.description.size(),
                            .bytes = bytes.size(),
                            .description_checksum = transform::checksum(entry.description),
                            .checksum = transform::checksum(bytes)};
        header.header_checksum = checksum_of(header);
        const std::size_t length = sizeof(header) + entry.description.size() + bytes.size();
        const std::size_t gap = (record_alignment - length % record_alignment) % record_alignment;
        for (const auto part : {std::as_bytes(std::span(&header, 1)), std::span<const std::byte>(entry.description),
                                bytes, std::span(zeros).first(gap)}) {
            if (auto added = appending.add(part); !added) {
                return added;
            }
        }
        length_ += static_cast<std::int64_t>(length + gap);
    }
    return appending.flush();
}

void LogFolder::end() {
    if (file_) {
        const Entry mark{.kind = RecordKind::mark};
        if (append(std::span(&mark, 1)) && os::sync(file_)) {
            segments_.back().bytes = length_;
        }
        file_ = {};
    }
}

// What lives ------------------------------------------------------------------------------------------------------

LogFolder::Segment* LogFolder::segment_of(std::uint64_t place) {
    const auto after = std::ranges::upper_bound(segments_, place, {}, &Segment::first_place);
    return after == segments_.begin() || std::prev(after)->last_place < place ? nullptr : &*std::prev(after);
}

bool LogFolder::is_dead(const Segment& segment) const {
    return segment.living == 0 && (segment.number != last_number_ || !file_);
}

void LogFolder::count(std::span<const Entry> entries) {
    for (const Entry& entry : entries) {
        if (entry.kind == RecordKind::kept) {
            ++segments_.back().living;
            last_place_ = segments_.back().last_place = entry.place;
        }
        for (const std::uint64_t place : entry.places) {
            Segment* const killed = failed_.erase(place) == 0 ? segment_of(place) : nullptr;
            if (killed != nullptr) {
                --killed->living;
                segments_.back().kills.push_back(place);
            }
        }
    }
}

/// What a file kills in others that stay has to be said elsewhere before it goes.
void LogFolder::remove_dead() {
    std::vector<std::uint64_t> kills;
    for (const Segment& segment : segments_) {
        if (is_dead(segment)) {
            std::ranges::copy_if(segment.kills, std::back_inserter(kills), [this](std::uint64_t place) {
                const Segment* const killed = segment_of(place);
                return killed != nullptr && !is_dead(*killed);
            });
        }
    }
    if (!kills.empty()) {
        const Entry again{.kind = RecordKind::killed, .places = kills};
        if (!write_together(std::span(&again, 1))) {
            return;  // they go later
        }
        std::ranges::copy(kills, std::back_inserter(segments_.back().kills));
    }
    // Earlier ones first: what kills their records lies in later ones.
    std::erase_if(segments_, [this](const Segment& segment) {
        const bool goes = is_dead(segment);
        if (goes) {
            os::remove_file(path_of(segment.number));
        }
        return goes;
    });
}

std::int64_t LogFolder::bytes() const {
    std::int64_t bytes = 0;
    for (const Segment& segment : segments_) {
        bytes += segment.bytes;
    }
    return bytes;
}

}  // namespace staithe::store::log
