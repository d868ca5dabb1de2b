// Steps of readers into files: what a recorder does, and a writer whose stream is a file.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <staithe/options.hpp>
#include <staithe/reader.hpp>
#include <staithe/transform.hpp>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::stream {

/// How variables lie in the file.
struct Compression {
    /// How far the values of one may be off.
    std::function<codecs::Bound(const Variable&)> bound_of;
    /// As RecorderOptions::codec has it.
    std::string codec{};
};

/// `not_found` if there is no such codec, or it is not built in; `invalid_argument` if it cannot keep one of the
/// bounds.
[[nodiscard]] base::Result<> check_file_codec(const std::string& codec, const Errors& errors);

/// The variables of the step, which counts from the recording's next publish() on. Raises what the format and the
/// source of the step fail with.
void append_step(format::RecordingWriter& recording, const ReadStep& step, std::span<const std::string> variables,
                 const Compression& compression);

}  // namespace staithe::stream
