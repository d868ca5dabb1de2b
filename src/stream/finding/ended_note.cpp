#include "stream/finding/ended_note.hpp"

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "stream/directing/protocol.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t ended_note_format = 1;
constexpr std::string_view ended_suffix = ".ended";
constexpr double kept_seconds = 3600.0;

std::string path_of_note(const std::string& run_directory, const std::string& stream) {
    return fmt::format("{}/{}{}", run_directory, stream, ended_suffix);
}

/// Empty if there is none, or none that can be read.
Attributes read_note(const std::string& path) {
    const auto content = os::read_file(path);
    auto parsed = content ? base::from_json(*content) : base::Result<Value>(base::fail(content));
    Attributes* const fields = parsed ? parsed->as_map() : nullptr;
    return fields != nullptr ? std::move(*fields) : Attributes{};
}

bool is_outdated(const Attributes& note) {
    const Value* const ended = find(note, "ended");
    const double since = ended == nullptr ? 0.0 : ended->as_double().value_or(0.0);
    return os::wall_clock_seconds() - since > kept_seconds;
}

}  // namespace

void leave_ended_note(const std::string& run_directory, const std::string& stream, const EndedNote& note) {
    const std::string content = base::to_json(Attributes{{"format", ended_note_format},
                                                         {"stream", stream},
                                                         {"program", note.writer.program},
                                                         {"host", note.writer.host},
                                                         {"pid", note.writer.pid},
                                                         {"unread", note.unread},
                                                         {"failure", note.failure},
                                                         {"ended", os::wall_clock_seconds()}},
                                              2);
    static_cast<void>(os::write_atomically(path_of_note(run_directory, stream), content + "\n"));
}

std::optional<EndedNote> find_ended_note(const std::string& run_directory, const std::string& stream) {
    const Attributes fields = read_note(path_of_note(run_directory, stream));
    auto writer = decode_peer(fields, 1);
    const auto failure = text_field(fields, "failure");
    const auto unread = integer_field(fields, "unread", 0, INT64_MAX);
    if (!writer || !failure || !unread) {
        return std::nullopt;
    }
    return EndedNote{*std::move(writer), *unread, *failure};
}

void clear_ended_notes(const std::string& run_directory, const std::string& stream) {
    os::remove_file(path_of_note(run_directory, stream));
    for (const std::string& file : os::list_directory(run_directory)) {
        const std::string path = run_directory + "/" + file;
        if (file.ends_with(ended_suffix) && is_outdated(read_note(path))) {
            os::remove_file(path);
        }
    }
}

std::string to_string(const EndedNote& note) {
    return fmt::format("was opened by {} and ended before this reader joined, with {} steps that nobody has read{}",
                       transport::to_string(note.writer), note.unread,
                       note.failure.empty() ? "" : ", since " + note.failure);
}

}  // namespace staithe::stream
