// A pipe that tells one process that others have news for it. Neither end blocks.
#pragma once

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

struct Pipe {
    FileDescriptor read_end;
    FileDescriptor write_end;
};

base::Result<Pipe> create_pipe();

/// The write end once more, opened anew: flags that one holder sets (O_NONBLOCK) are its own then.
base::Result<FileDescriptor> reopen_write_end(const Pipe& pipe);

/// Writes a byte, unless the pipe is full, or nobody reads it any more (which is no reason for a signal).
void poke(const FileDescriptor& write_end);

/// Takes what is in it, or as much as a pipe holds by default: whoever fills it again meanwhile keeps nobody here.
void empty_pipe(const FileDescriptor& read_end);

}  // namespace staithe::os
