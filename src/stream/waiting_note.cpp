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

}  // namespace staithe::stream
