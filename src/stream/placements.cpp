#include "stream/placements.hpp"

#include <algorithm>
#include <array>

#include "base/config.hpp"
#include "base/value_codec.hpp"
#include "format/formats.hpp"
#include "stream/reading/continued/continued_source.hpp"
#include "stream/reading/npy/npy_source.hpp"
#include "stream/reading/recorded/recorded_source.hpp"
#include "stream/reading/twin_source.hpp"
#include "stream/recording/file_sink.hpp"
#include "stream/writing/producer.hpp"
#include "stream/writing/twin_sink.hpp"

namespace staithe::stream {
namespace {

base::Result<std::shared_ptr<StepSink>> open_producer(const std::string& stream, const WriterOptions& options) {
    return Producer::open(stream, options);
}

/// After its history, if there is to be one.
base::Result<std::shared_ptr<StepSource>> open_live_after_history(const std::string& stream,
                                                                  const ReaderOptions& options) {
    const auto history = options.history ? options.history : FiledSource::said_of(stream, "history");
    if (!history) {
        return base::fail(history);
    }
    return history->value_or("").empty() ? open_live(stream, options)
                                         : ContinuedSource::open(stream, **history, options);
}

constexpr std::array placements{
    Placement{"producer", open_producer, open_live_after_history},   // in the memory of the writer ranks
    Placement{"inline", open_producer, open_live_after_history},     // there, too, and analyses run in the writer ranks
    Placement{"servers", open_at_servers, open_live_after_history},  // in the memory of servers, which outlive them
    Placement{"npy", npy::refuse_to_write, npy::NpySource::open},    // in a folder of files, for readers
    Placement{"file", open_in_file, recorded::RecordedSource::open},  // in a recording
};

std::string list_of_names() {
    std::string list;
    for (const Placement& placement : placements) {
        const bool last = &placement == &placements.back();
        list += fmt::format("{}'{}'", list.empty() ? "" : last ? " or " : ", ", placement.name);
    }
    return list;
}

}  // namespace

base::Result<const Placement*> resolve_placement(const Attributes& settings,
                                                 const std::optional<std::string>& argument) {
    const Value* value = find(settings, "placement");
    std::string name = base::environment("STAITHE_PLACEMENT").value_or(placements.front().name);
    if (argument) {
        name = *argument;
    } else if (value != nullptr) {
        name = value->as_string() != nullptr ? *value->as_string() : base::to_json(*value);
    } else if (find(settings, "file") != nullptr) {
        name = "file";
    } else if (find(settings, "folder") != nullptr) {
        name = "npy";
    }
    const auto* const found = std::find_if(placements.begin(), placements.end(),
                                           [&](const Placement& placement) { return placement.name == name; });
    if (found == placements.end()) {
        return base::fail(ErrorCode::invalid_argument, "placement '{}' is not available in this version: use {}", name,
                          list_of_names());
    }
    return found;
}

base::Result<const Placement*> resolve_placement(const std::string& stream,
                                                 const std::optional<std::string>& argument) {
    const auto settings = base::stream_settings(stream);
    if (!settings) {
        return base::fail(settings);
    }
    const bool is_said = argument || find(*settings, "placement") != nullptr;
    return resolve_placement(*settings, !is_said && format::check_path(stream) ? "file" : argument);
}

}  // namespace staithe::stream
