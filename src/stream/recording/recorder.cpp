// The public edge of recording: staithe::Recorder.
#include <staithe/recorder.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/formats.hpp"
#include "os/fork.hpp"
#include "transform/bound.hpp"
#include "transform/rounding.hpp"

namespace staithe {

using base::value_or_raise;

struct stream::Recording {
    Recording(std::unique_ptr<format::RecordingWriter> to, std::map<std::string, codecs::Bound> bounds)
        : writer(std::move(to)), error(std::move(bounds)) {}

    const std::unique_ptr<format::RecordingWriter> writer;
    const std::map<std::string, codecs::Bound> error;
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
    format::ArrayToStore array{{.info = {.name = variable.name(),
                                         .dtype = variable.dtype(),
                                         .shape = variable.shape(),
                                         .unit = variable.unit(),
                                         .attributes = variable.attributes()},
                                .parts = {}}};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        held.push_back(variable.block(i));
        array.parts.push_back({blocks[i].box, held.back().array});
    }
    return array;
}

/// Of a variable that has none of its own.
constexpr const char* all_others = "*";

std::map<std::string, codecs::Bound> checked(std::map<std::string, codecs::Bound> error) {
    using Kind = codecs::Bound::Kind;
    for (const auto& [name, bound] : error) {
        if (bound.kind == Kind::psnr || bound.kind == Kind::rate) {
            base::raise({ErrorCode::invalid_argument,
                         fmt::format("the error of '{}' cannot be '{}' in a file: give one that is abs, rel or pw_rel",
                                     base::printable(name), codecs::to_string(bound))});
        }
        value_or_raise(transform::resolve_bound(ArrayView(), {.bound = bound}));
    }
    return error;
}

/// Nothing is made where the bounds cannot be.
std::unique_ptr<stream::Recording> begun(const std::string& path, const RecorderOptions& options) {
    auto error = checked(options.error);
    return std::make_unique<stream::Recording>(
        value_or_raise(format::create_recording(path, options.attributes, options.resume)), std::move(error));
}

codecs::Bound bound_of(const std::map<std::string, codecs::Bound>& error, const std::string& variable) {
    const auto own = error.find(variable);
    const auto found = own == error.end() ? error.find(all_others) : own;
    return found == error.end() ? codecs::Bound::exact() : found->second;
}

/// A name that is mistyped would be noticed when the run is over.
void check_names(const std::map<std::string, codecs::Bound>& error, const format::StepToStore& step) {
    for (const auto& [name, bound] : error) {
        const auto has_it = [&](const format::ArrayToStore& array) { return array.info.name == name; };
        if (name == all_others || std::ranges::any_of(step.arrays, has_it)) {
            continue;
        }
        std::vector<std::string> names;
        std::ranges::transform(step.arrays, std::back_inserter(names),
                               [](const format::ArrayToStore& array) { return array.info.name; });
        base::raise(
            {ErrorCode::invalid_argument,
             fmt::format("there is no '{}' in step {}, of which an error of {} was asked for: it has {}",
                         base::printable(name), step.number, codecs::to_string(bound), base::closest(name, names))});
    }
}

/// Has its elements rounded as they are stored.
void take_bound(const codecs::Bound& bound, format::ArrayToStore& array) {
    if (bound.kind == codecs::Bound::Kind::exact || array.parts.empty()) {
        return;
    }
    std::vector<ArrayView> views;
    std::ranges::transform(array.parts, std::back_inserter(views), &format::ArrayPart::elements);
    const transform::TileOptions options = value_or_raise(transform::resolve_bound(views, {.bound = bound}));
    array.round = [options](const MutableArrayView& elements) { transform::round_in_place(elements, options); };
    array.error = codecs::to_string(bound);
}

}  // namespace

void check_recording_path(const std::string& path) { value_or_raise(format::check_path(path)); }

Recorder::Recorder(std::string path, const RecorderOptions& options)
    : path_(std::move(path)), recording_(begun(path_, options)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

void Recorder::append(const ReadStep& step) {
    stream::Recording& recording = opened(recording_, path_);
    std::vector<View> held;
    format::StepToStore all{.number = step.index(), .attributes = step.attributes(), .arrays = {}};
    for (const std::string& name : step.variables()) {
        all.arrays.push_back(array_of(step.variable(name), held));
        take_bound(bound_of(recording.error, name), all.arrays.back());
    }
    if (!recording.has_begun) {
        check_names(recording.error, all);
    }
    value_or_raise(recording.writer->append(all));
    recording.has_begun = true;
}

void Recorder::close() { recording_.reset(); }

std::optional<std::int64_t> Recorder::newest() const { return opened(recording_, path_).writer->newest(); }

}  // namespace staithe
