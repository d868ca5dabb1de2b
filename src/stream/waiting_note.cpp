#include "stream/waiting_note.hpp"

#include <atomic>
#include <chrono>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t note_format = 1;
constexpr std::string_view suffix = ".waiting";

bool is_of_a_live_process(const std::string& path) {
    const auto content = os::read_file(path);
    const auto parsed = content ? base::from_json(*content) : base::fail(content.error().code, "");
    const Attributes* fields = parsed ? parsed->as_map() : nullptr;
    const Value* pid = fields == nullptr ? nullptr : find(*fields, "pid");
    const Value* start_time = fields == nullptr ? nullptr : find(*fields, "start_time");
    if (pid == nullptr || start_time == nullptr) {
        return false;
    }
    const auto started = os::start_time_of(static_cast<int>(pid->as_int().value_or(0)));
    return started && *started != 0 && static_cast<std::int64_t>(*started) == start_time->as_int();
}

}  // namespace

WaitingNote::WaitingNote(const std::string& run_directory, const std::string& stream, const transport::Peer& self,
                         base::Clock::time_point since) {
    static std::atomic<unsigned> notes{0};
    path_ = fmt::format("{}/{}.{}.{}{}", run_directory, stream, self.pid, notes.fetch_add(1), suffix);
    const auto seconds = std::chrono::duration<double>(since.time_since_epoch()).count();
    const std::string content = base::to_json(Attributes{{"format", note_format},
                                                         {"stream", stream},
                                                         {"program", self.program},
                                                         {"host", self.host},
                                                         {"pid", self.pid},
                                                         {"version", self.version},
                                                         {"start_time", os::start_time_of(self.pid).value_or(0)},
                                                         {"since", seconds}},
                                              2);
    static_cast<void>(os::write_atomically(path_, content + "\n"));
}

WaitingNote::~WaitingNote() { os::remove_file(path_); }

void sweep_waiting_notes(const std::string& run_directory, const std::string& stream) {
    for (const std::string& file : os::list_directory(run_directory)) {
        const std::string path = run_directory + "/" + file;
        if (file.starts_with(stream + ".") && file.ends_with(suffix) && !is_of_a_live_process(path)) {
            os::remove_file(path);
        }
    }
}

}  // namespace staithe::stream
