#include "stream/finding/roster.hpp"

#include <algorithm>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process_identity.hpp"
#include "stream/directing/protocol.hpp"

namespace staithe::stream {
namespace {

bool has_stream(const Value* streams, const std::string& stream) {
    const List* const list = streams == nullptr ? nullptr : streams->as_list();
    return list != nullptr && std::find(list->begin(), list->end(), Value(stream)) != list->end();
}

/// A program without a pid is not started yet; one that cannot be seen from here may live.
bool lives(const Attributes& program) {
    const auto boot = text_field(program, "boot");
    const auto pid_namespace = integer_field(program, "pid_namespace", 0, INT64_MAX);
    const auto pid = integer_field(program, "pid", 1, INT32_MAX);
    const auto start_time = integer_field(program, "start_time", 1, INT64_MAX);
    return !boot || !pid_namespace || !pid || !start_time ||
           os::life_of({*boot, static_cast<std::uint64_t>(*pid_namespace), static_cast<int>(*pid),
                        static_cast<std::uint64_t>(*start_time)}) != os::Life::gone;
}

}  // namespace

std::vector<ProgramToCome> programs_to_come(const std::string& run_directory, const std::string& stream, Side side) {
    const auto content = os::read_file(run_directory + "/programs.json");
    const auto parsed = content ? base::from_json(*content) : base::Result<Value>(base::fail(content));
    const Attributes* const roster = parsed ? parsed->as_map() : nullptr;
    const Value* const programs = roster == nullptr ? nullptr : find(*roster, "programs");
    std::vector<ProgramToCome> found;
    if (programs == nullptr || programs->as_list() == nullptr) {
        return found;
    }
    for (const Value& entry : *programs->as_list()) {
        const Attributes* const program = entry.as_map();
        if (program != nullptr && has_stream(find(*program, side == Side::writes ? "writes" : "reads"), stream)) {
            found.push_back({text_field(*program, "name").value_or("a program"), lives(*program)});
        }
    }
    return found;
}

}  // namespace staithe::stream
