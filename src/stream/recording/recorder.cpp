// The public edge of recording: staithe::Recorder.
#include <staithe/recorder.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/formats.hpp"
#include "os/fork.hpp"

namespace staithe {

using base::value_or_raise;

struct stream::Recording {
    explicit Recording(std::unique_ptr<format::RecordingWriter> to) : writer(std::move(to)) {}

    const std::unique_ptr<format::RecordingWriter> writer;
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

/// Its blocks as they lie in the memory of who wrote them; `held` keeps them.
format::ArrayToStore array_of(const Variable& variable, std::vector<View>& held) {
    const std::vector<BlockInfo> blocks = variable.blocks();
    if (variable.is_local() && blocks.size() > 1) {
        base::raise(
            {ErrorCode::invalid_argument,
             fmt::format("'{}' is {} local arrays, one a writer rank, which make no array together: put it with "
                         "offset and shape to record it",
                         base::printable(variable.name()), blocks.size())});
    }
    format::ArrayToStore array{.info = {.name = variable.name(),
                                        .dtype = variable.dtype(),
                                        .shape = variable.shape(),
                                        .unit = variable.unit(),
                                        .attributes = variable.attributes()},
                               .parts = {}};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        held.push_back(variable.block(i));
        array.parts.push_back({blocks[i].box, held.back().array});
    }
    return array;
}

}  // namespace

void check_recording_path(const std::string& path) { value_or_raise(format::check_path(path)); }

Recorder::Recorder(std::string path, const RecorderOptions& options)
    : path_(std::move(path)),
      recording_(std::make_unique<stream::Recording>(
          value_or_raise(format::create_recording(path_, options.attributes, options.resume)))) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

void Recorder::append(const ReadStep& step) {
    format::RecordingWriter& writer = *opened(recording_, path_).writer;
    std::vector<View> held;
    format::StepToStore all{.number = step.index(), .attributes = step.attributes(), .arrays = {}};
    for (const std::string& name : step.variables()) {
        all.arrays.push_back(array_of(step.variable(name), held));
    }
    value_or_raise(writer.append(all));
}

void Recorder::close() { recording_.reset(); }

std::optional<std::int64_t> Recorder::newest() const { return opened(recording_, path_).writer->newest(); }

}  // namespace staithe
