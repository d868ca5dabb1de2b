// Ended notes: which streams ended before the readers that they waited for had come.
//
// A stream may be opened, written and gone between two looks of a reader that waits for it. The note,
// `<run directory>/<stream>.ended`, lets the reader say so. It goes when the stream is opened again, or when any stream
// is opened an hour later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transport/link.hpp"

namespace staithe::stream {

struct EndedNote {
    transport::Peer writer;
    std::int64_t unread = 0;  // steps that nobody got
    std::string failure;      // what the writer said when it failed; empty if it has not
};

/// No matter if it cannot be left.
void leave_ended_note(const std::string& run_directory, const std::string& stream, const EndedNote& note);
[[nodiscard]] std::optional<EndedNote> find_ended_note(const std::string& run_directory, const std::string& stream);
/// The stream's, and those of long ago.
void clear_ended_notes(const std::string& run_directory, const std::string& stream);

/// "was opened by melt (pid 7 on node3) and ended before this reader joined, with 3 steps that nobody has read".
[[nodiscard]] std::string to_string(const EndedNote& note);

}  // namespace staithe::stream
