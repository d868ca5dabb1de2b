// Steps of readers into files: what a recorder does, and a writer whose stream is a file.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <staithe/reader.hpp>
#include <staithe/transform.hpp>

#include "format/recording.hpp"

namespace staithe::stream {

/// How far the values of a variable may be off in the file.
using BoundOf = std::function<codecs::Bound(const Variable&)>;

/// The variables of the step, which counts from the recording's next publish() on. Raises what the format and the
/// source of the step fail with.
void append_step(format::RecordingWriter& recording, const ReadStep& step, std::span<const std::string> variables,
                 const BoundOf& bound_of);

}  // namespace staithe::stream
