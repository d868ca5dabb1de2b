// Ended notes: which streams ended before the readers that they waited for had come.
//
// A stream may be opened, written and gone between two looks of a reader that waits for it. The note,
// `<run directory>/<stream>.ended`, lets the reader say so. It goes when the stream is opened again, or with the next
// sweep of the directory after an hour.
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
void remove_ended_note(const std::string& run_directory, const std::string& stream);

/// Whether that file of a run directory is a note of long ago.
[[nodiscard]] bool is_outdated_note(const std::string& run_directory, const std::string& file);

/// "was opened by melt (pid 7 on node3) and ended before this reader joined, with 3 steps that nobody has read".
[[nodiscard]] std::string to_string(const EndedNote& note);

}  // namespace staithe::stream
