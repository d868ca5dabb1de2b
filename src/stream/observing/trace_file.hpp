// The trace of this process: its spans, as a file that Perfetto opens.
//
// STAITHE_TRACE names a directory: each process that opens a stream writes `<program>.<pid>.json` there, in Chrome's
// trace-event format, a few times a second and at its end. A killed process leaves what it had written, a file without
// its closing bracket, which the format allows. `staithe run --trace` and `staithe trace` put such files together.
#pragma once

#include "transport/link.hpp"

namespace staithe::stream {

/// Begins to trace this process if STAITHE_TRACE asks for it and it does not yet. Before any tracer is made.
void trace_if_asked(const transport::Peer& self);

}  // namespace staithe::stream
