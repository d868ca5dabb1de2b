// The files of a log, and which of their records live. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "store/log/segment.hpp"

namespace staithe::store::log {

/// What is to be written.
struct Entry {
    RecordKind kind = RecordKind::kept;
    std::uint64_t place = 0;  // of what is kept: more than those before
    std::uint64_t key = 0;
    std::vector<std::byte> description{};
    std::span<const std::byte> bytes{};
    std::vector<std::uint64_t> places{};  // that are killed
};

/// A record that was kept.
struct Replayed {
    std::uint64_t place = 0;
    std::uint64_t key = 0;
    std::uint64_t bytes = 0;
    bool was_safe = true;  // whoever handed it over may have been told so
    /// Until its bytes are read. A failure: it is damaged.
    base::Result<std::span<const std::byte>> description;
    /// Fills so many bytes. A failure: they are damaged.
    base::FunctionRef<base::Result<>(std::byte*)> read;
};

class LogFolder {
  public:
    /// Makes it if there is none, and looks what is in it. `already_exists` if another process has it open.
    static base::Result<LogFolder> open(const std::string& path, std::int64_t segment_bytes = default_segment_bytes);
    /// Whether a file of that name would be the log's.
    [[nodiscard]] static bool has_file(const std::string& name);
    static constexpr std::int64_t default_segment_bytes = std::int64_t{64} << 20;  // after which the next file begins

    /// Calls `visit` with each record that lived when the folder was opened, oldest first, until it fails.
    base::Result<> replay(base::FunctionRef<base::Result<>(const Replayed&)> visit);

    /// What became of each: those without a failure are on disk.
    std::vector<base::Result<>> write(std::span<const Entry> entries);
    /// Nothing more is written: what was damaged after this can be told from what was torn off.
    void end();

    /// Of all that was ever kept.
    [[nodiscard]] std::uint64_t last_place() const { return last_place_; }
    [[nodiscard]] std::int64_t bytes() const;

  private:
    struct Segment {
        std::int64_t number = 0;
        std::uint64_t first_place = 0;  // more than any in those before
        std::uint64_t last_place = 0;   // that it has
        std::int64_t bytes = 0;
        std::int64_t living = 0;
        std::vector<std::uint64_t> kills{};
    };

    LogFolder(std::string path, os::FileDescriptor lock, std::int64_t segment_bytes)
        : path_(std::move(path)), lock_(std::move(lock)), segment_bytes_(segment_bytes) {}
    base::Result<> scan();
    base::Result<> take(std::int64_t number, FoundSegment scanned, std::unordered_set<std::uint64_t>& killed);
    [[nodiscard]] std::string path_of(std::int64_t number) const;
    base::Result<> begin_segment();
    /// All of them, or none.
    base::Result<> write_together(std::span<const Entry> entries);
    base::Result<> write_and_count(std::span<const Entry> entries);
    base::Result<> append(std::span<const Entry> entries);
    void take_back(bool is_known);
    void count(std::span<const Entry> entries);
    void remove_dead();
    /// Where it was written; nullptr if that is gone.
    Segment* segment_of(std::uint64_t place);
    [[nodiscard]] bool is_dead(const Segment& segment) const;

    std::string path_;
    os::FileDescriptor lock_;
    std::int64_t segment_bytes_;
    std::vector<Segment> segments_;                                         // in the order of their numbers
    std::vector<std::pair<std::int64_t, std::vector<FoundRecord>>> found_;  // living ones, by the number of the segment
    std::uint64_t last_place_ = 0;
    std::int64_t last_number_ = 0;
    std::set<std::uint64_t> failed_;        // places of which nothing is on disk
    std::vector<std::uint64_t> unwritten_;  // kills that found no room
    os::FileDescriptor file_;               // of the last segment, if it goes on
    std::int64_t length_ = 0;               // of it
    std::int64_t safe_ = 0;                 // of these
};

}  // namespace staithe::store::log
