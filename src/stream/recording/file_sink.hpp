// Writers whose stream is a file: placement `file`.
//
// The ranks write a stream as always, in their own memory, and a thread of rank 0 appends each step to the file as soon
// as all ranks have ended it. So the simulation waits for the disk only when the queue is full, and at the end.
#pragma once

#include <memory>
#include <string>

#include <staithe/options.hpp>

#include "base/result.hpp"

namespace staithe::stream {

class StepSink;

/// To the file that STAITHE_STREAMS names for the stream as its "file", else to the one that the stream is called like.
base::Result<std::shared_ptr<StepSink>> open_in_file(const std::string& stream, const WriterOptions& options);

}  // namespace staithe::stream
