#include "stream/waiting_note.hpp"

#include <atomic>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "stream/protocol.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t waiting_note_format = 2;
constexpr std::string_view waiting_suffix = ".waiting";

std::string new_name(const std::string& stream, int pid) {
    static std::atomic<unsigned> notes{0};
    return fmt::format("{}.{}.{}{}", stream, pid, notes.fetch_add(1), waiting_suffix);
}

double seconds_field(const Attributes& fields, const std::string& name) {
    const Value* const value = find(fields, name);
    return value == nullptr ? 0.0 : value->as_double().value_or(0.0);
}

const List& list_of(const Attributes& fields, const std::string& name) {
    static const List none;
    const Value* const value = find(fields, name);
    return value == nullptr || value->as_list() == nullptr ? none : *value->as_list();
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
    const Value* const for_absent = find(fields, "for_absent");
    wait.for_absent = for_absent != nullptr && for_absent->as_bool().value_or(false);
    for (const Value& on : list_of(fields, "on")) {
        wait.on.push_back(static_cast<int>(on.as_int().value_or(0)));
    }
    for (const Value& stream : list_of(fields, "held_up")) {
        wait.held_up.push_back(stream.as_string() == nullptr ? "" : *stream.as_string());
    }
    const Value* const unopened = find(fields, "unopened");
    if (const Attributes* const map = unopened == nullptr ? nullptr : unopened->as_map()) {
        for (const auto& [stream, ranks] : *map) {
            wait.unopened[stream] = static_cast<int>(ranks.as_int().value_or(1));
        }
    }
    return wait;
}

}  // namespace

WaitingNote::WaitingNote(const std::string& run_directory, const std::string& stream, int pid)
    : id_(new_name(stream, pid)), path_(run_directory + "/" + id_) {}

WaitingNote::~WaitingNote() { os::remove_file(path_); }

void WaitingNote::write(const NotedWait& wait) const {
    Attributes unopened;
    for (const auto& [stream, ranks] : wait.unopened) {
        unopened[stream] = ranks;
    }
    const Attributes note{{"format", waiting_note_format},
                          {"stream", wait.stream},
                          {"program", wait.who.program},
                          {"host", wait.who.host},
                          {"pid", wait.who.pid},
                          {"version", wait.who.version},
                          {"start_time", os::start_time_of(wait.who.pid).value_or(0)},
                          {"role", wait.role},
                          {"wants", wait.wants},
                          {"reason", wait.reason},
                          {"since", wait.since},
                          {"looked", wait.looked},
                          {"for_absent", wait.for_absent},
                          {"on", List(wait.on.begin(), wait.on.end())},
                          {"held_up", List(wait.held_up.begin(), wait.held_up.end())},
                          {"unopened", std::move(unopened)}};
    static_cast<void>(os::write_atomically(path_, base::to_json(note, 2) + "\n"));
}

std::vector<NotedWait> read_waiting_notes(const std::string& run_directory) {
    std::vector<NotedWait> waits;
    for (const std::string& file : os::list_directory(run_directory)) {
        if (file.ends_with(waiting_suffix)) {
            const auto content = os::read_file(run_directory + "/" + file);
            if (auto wait = content ? parse_note(file, *content) : base::fail(content)) {
                waits.push_back(*std::move(wait));
            }
        }
    }
    return waits;
}

std::string to_string(const NotedWait& wait) {
    return fmt::format("{}, {}, waits for {} '{}': {}", transport::to_string(wait.who), wait.role, wait.wants,
                       wait.stream, wait.reason);
}

}  // namespace staithe::stream
