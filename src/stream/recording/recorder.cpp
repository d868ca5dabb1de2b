// The public edge of recording: staithe::Recorder.
#include <staithe/recorder.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/formats.hpp"
#include "os/fork.hpp"
#include "stream/recording/appending.hpp"
#include "transform/bound.hpp"

namespace staithe {

using base::value_or_raise;

struct stream::Recording {
    Recording(std::unique_ptr<format::RecordingWriter> to, std::map<std::string, codecs::Bound> bounds,
              std::string named_codec, std::vector<std::string> names)
        : writer(std::move(to)), error(std::move(bounds)), codec(std::move(named_codec)), variables(std::move(names)) {}

    const std::unique_ptr<format::RecordingWriter> writer;
    const std::map<std::string, codecs::Bound> error;
    const std::string codec;
    const std::vector<std::string> variables;  // none: all
    bool has_begun = false;
    const os::Home home{};
};

namespace {

stream::Recording& opened(const std::unique_ptr<stream::Recording>& recording, const std::string& path) {
    if (recording == nullptr || !recording->home.here()) {
        base::raise({ErrorCode::closed,
                     fmt::format("the recorder of '{}' {}", base::printable(path),
                                 recording == nullptr
                                     ? "was closed"
                                     : "was opened before this process was forked, where it goes on: open one here")});
    }
    return *recording;
}

std::unique_ptr<stream::Recording> begun(const std::string& path, const RecorderOptions& options) {
    check_recording(path, options);
    return std::make_unique<stream::Recording>(
        value_or_raise(format::create_recording(path, options.attributes, options.resume)), options.error,
        options.codec, options.variables);
}

/// A name that is mistyped would be noticed when the run is over.
void check_names(const stream::Recording& recording, const ReadStep& step) {
    const std::vector<std::string> names = step.variables();
    for (const std::string& name : recording.variables) {
        static_cast<void>(step.variable(name));  // which says what there is
    }
    for (const auto& [name, bound] : recording.error) {
        if (name == transform::all_others || std::ranges::find(names, name) != names.end()) {
            continue;
        }
        base::raise(
            {ErrorCode::invalid_argument,
             fmt::format("there is no '{}' in step {}, of which an error of {} was asked for: it has {}",
                         base::printable(name), step.index(), codecs::to_string(bound), base::closest(name, names))});
    }
}

}  // namespace

void check_recording(const std::string& path, const RecorderOptions& options) {
    value_or_raise(format::check_path(path));
    for (const auto& [name, bound] : options.error) {
        value_or_raise(transform::check_error(name, bound));
    }
    value_or_raise(stream::check_file_codec(options.codec, options.error));
}

Recorder::Recorder(std::string path, const RecorderOptions& options)
    : path_(std::move(path)), recording_(begun(path_, options)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

void Recorder::append(const ReadStep& step) {
    stream::Recording& recording = opened(recording_, path_);
    if (!recording.has_begun) {
        check_names(recording, step);
    }
    std::vector<std::string> names = step.variables();
    if (!recording.variables.empty()) {
        std::erase_if(names, [&](const std::string& name) {
            return std::ranges::find(recording.variables, name) == recording.variables.end();
        });
    }
    const auto bound_of = [&](const Variable& variable) {
        return transform::bound_for(recording.error, variable.name()).value_or(codecs::Bound::exact());
    };
    stream::append_step(*recording.writer, step, names, {.bound_of = bound_of, .codec = recording.codec});
    value_or_raise(recording.writer->publish());
    recording.has_begun = true;
}

void Recorder::close() { recording_.reset(); }

std::optional<std::int64_t> Recorder::newest() const { return opened(recording_, path_).writer->newest(); }

}  // namespace staithe
