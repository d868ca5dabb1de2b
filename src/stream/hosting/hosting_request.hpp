// What a writer asks a server for that is to take its stream in: docs/formats/stream_protocol.md.
#pragma once

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "stream/directing/director_settings.hpp"

namespace staithe::stream {

/// What requests name as their service.
inline constexpr const char* hosting_service = "/streams";

namespace hosting {
inline constexpr const char* open = "open";          // a stream: its writer ranks join it next
inline constexpr const char* abandon = "abandon";    // that stream, which nobody has joined; no answer
inline constexpr const char* describe = "describe";  // the streams that there are
}  // namespace hosting

Attributes encode(const DirectorSettings& settings);
/// But for the server.
base::Result<DirectorSettings> decode_settings(const Attributes& body);

}  // namespace staithe::stream
