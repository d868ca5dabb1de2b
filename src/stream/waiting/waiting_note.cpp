#include "stream/waiting/waiting_note.hpp"

#include <atomic>
#include <string_view>
#include <utility>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process_identity.hpp"
#include "stream/directing/protocol.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t waiting_note_format = 3;
constexpr std::string_view waiting_suffix = ".waiting";

std::string new_name(const std::string& stream) {
    static std::atomic<unsigned> notes{0};
    return fmt::format("{}.{}.{}{}", stream, notes.fetch_add(1), to_string(os::this_process()), waiting_suffix);
}

/// Whether pids in notes of that process are those of this one's namespace.
bool counts_as_here(const os::ProcessIdentity& process) {
    const os::ProcessIdentity own = os::this_process();
    return process.boot == own.boot && process.pid_namespace == own.pid_namespace;
}

double seconds_field(const Attributes& fields, const std::string& name) {
    const Value* const value = find(fields, name);
    return value == nullptr ? 0.0 : value->as_double().value_or(0.0);
}

const List& list_or_none(const Attributes& fields, const std::string& name) {
    static const List none;
    const List* const list = list_field(fields, name);
    return list == nullptr ? none : *list;
}

std::map<std::string, int> unopened_streams_in(const Attributes& fields, const std::string& name) {
    std::map<std::string, int> streams;
    const Value* const value = find(fields, name);
    if (const Attributes* const map = value == nullptr ? nullptr : value->as_map()) {
        for (const auto& [stream, ranks] : *map) {
            streams[stream] = static_cast<int>(ranks.as_int().value_or(1));
        }
    }
    return streams;
}

std::string to_text(Awaited::Absent absent) {
    switch (absent) {
        case Awaited::Absent::readers: return "readers";
        case Awaited::Absent::writers: return "writers";
        default: return "";
    }
}

base::Result<NotedWait> parse_note(const std::string& file, const std::string& content) {
    const auto parsed = base::from_json(content);
    const Attributes fields = parsed && parsed->as_map() != nullptr ? *parsed->as_map() : Attributes{};
    NotedWait wait{.id = file, .since = seconds_field(fields, "since"), .looked = seconds_field(fields, "looked")};
    const auto pid = integer_field(fields, "pid", 1, INT32_MAX);
    for (const auto& [name, text] : {std::pair{"stream", &wait.stream},
                                     {"program", &wait.who.program},
                                     {"host", &wait.who.host},
                                     {"role", &wait.role},
                                     {"wants", &wait.wants},
                                     {"reason", &wait.reason}}) {
        auto value = text_field(fields, name);
        if (!value || !pid) {
            return base::fail(ErrorCode::protocol, "{} is not a whole waiting note", file);
        }
        *text = *std::move(value);
    }
    wait.who.pid = static_cast<int>(*pid);
    const std::string absent = text_field(fields, "absent").value_or("");
    wait.absent = absent == "readers"   ? Awaited::Absent::readers
                  : absent == "writers" ? Awaited::Absent::writers
                                        : Awaited::Absent::nobody;
    for (const Value& on : list_or_none(fields, "on")) {
        wait.on.push_back(static_cast<int>(on.as_int().value_or(0)));
    }
    for (const Value& stream : list_or_none(fields, "held_up")) {
        wait.held_up.push_back(stream.as_string() == nullptr ? "" : *stream.as_string());
    }
    wait.to_write = unopened_streams_in(fields, "to_write");
    wait.to_read = unopened_streams_in(fields, "to_read");
    return wait;
}

}  // namespace

WaitingNote::WaitingNote(const std::string& run_directory, const std::string& stream)
    : id_(new_name(stream)), path_(run_directory + "/" + id_) {}

WaitingNote::~WaitingNote() {
    if (home_.here()) {
        os::remove_file(path_);
    }
}

void WaitingNote::write(const NotedWait& wait) const {
    const Attributes note{{"format", waiting_note_format},
                          {"stream", wait.stream},
                          {"program", wait.who.program},
                          {"host", wait.who.host},
                          {"pid", wait.who.pid},
                          {"version", wait.who.version},
                          {"role", wait.role},
                          {"wants", wait.wants},
                          {"reason", wait.reason},
                          {"since", wait.since},
                          {"looked", wait.looked},
                          {"absent", to_text(wait.absent)},
                          {"on", List(wait.on.begin(), wait.on.end())},
                          {"held_up", List(wait.held_up.begin(), wait.held_up.end())},
                          {"to_write", Attributes(wait.to_write.begin(), wait.to_write.end())},
                          {"to_read", Attributes(wait.to_read.begin(), wait.to_read.end())}};
    static_cast<void>(os::write_atomically(path_, base::to_json(note, 2) + "\n"));
}

WaitingNotes::WaitingNotes(const std::string& run_directory) {
    for (const std::string& file : os::list_directory(run_directory)) {
        const auto owner = file.ends_with(waiting_suffix) ? os::owner_of(file) : std::nullopt;
        if (owner && counts_as_here(*owner)) {
            files_.push_back({owner->pid, run_directory + "/" + file});
        }
    }
}

WaitingNotes::WaitingNotes(std::vector<NotedWait> waits) {
    for (NotedWait& wait : waits) {
        const int pid = wait.who.pid;
        files_.push_back({pid, wait.id, std::make_unique<const NotedWait>(std::move(wait)), true});
    }
}

std::vector<const NotedWait*> WaitingNotes::of_process(int pid) {
    std::vector<const NotedWait*> waits;
    for (File& file : files_) {
        if (file.pid == pid) {
            add(read(file), waits);
        }
    }
    return waits;
}

std::vector<const NotedWait*> WaitingNotes::all() {
    std::vector<const NotedWait*> waits;
    for (File& file : files_) {
        add(read(file), waits);
    }
    return waits;
}

void WaitingNotes::add(const NotedWait* wait, std::vector<const NotedWait*>& waits) {
    if (wait != nullptr) {
        waits.push_back(wait);
    }
}

const NotedWait* WaitingNotes::read(File& file) {
    if (!file.is_read) {
        file.is_read = true;
        const auto content = os::read_file(file.path);
        auto wait = content ? parse_note(file.path.substr(file.path.rfind('/') + 1), *content) : base::fail(content);
        if (wait && wait->who.pid == file.pid) {
            file.wait = std::make_unique<const NotedWait>(*std::move(wait));
        }
    }
    return file.wait.get();
}

std::string to_string(const NotedWait& wait) {
    return fmt::format("{}, {}, waits for {} '{}': {}", transport::to_string(wait.who), wait.role, wait.wants,
                       wait.stream, wait.reason);
}

}  // namespace staithe::stream
