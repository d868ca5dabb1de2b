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
inline constexpr const char* fellows = "fellows";    // → names of servers, one of which is to have its steps, too
inline constexpr const char* abandon = "abandon";    // that stream, which nobody has joined; no answer
inline constexpr const char* describe = "describe";  // the streams that there are
inline constexpr const char* drains = "drains";      // is the answer of who takes in none, since it is being drained
inline constexpr const char* drain = "drain";        // take in no more; → what somebody still needs
inline constexpr const char* dismiss = "dismiss";    // nobody needs anything of it: it may go
// From the server that directs a stream to one that has blocks of it:
inline constexpr const char* found = "found";    // a depot for that stream
inline constexpr const char* take = "take";      // → where the blocks lie that it has fetched
inline constexpr const char* free = "free";      // what lies there; no answer
inline constexpr const char* shrink = "shrink";  // no rank writes any more; no answer
inline constexpr const char* close = "close";    // nobody needs the depot; no answer
}  // namespace hosting

/// Names of depots, which are what they are asked by, begin so: no stream is called like it.
inline constexpr const char* depot_prefix = "depot of ";

Attributes encode(const DirectorSettings& settings);
/// But for the server.
base::Result<DirectorSettings> decode_settings(const Attributes& body);

}  // namespace staithe::stream
