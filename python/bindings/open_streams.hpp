// The streams that this process has open: what becomes of them when it ends or forks.
#pragma once

#include <string>

#include <staithe/writer.hpp>

namespace staithe::python {

class OpenStream {
  public:
    OpenStream();
    OpenStream(const OpenStream&) = delete;
    OpenStream& operator=(const OpenStream&) = delete;
    virtual ~OpenStream();

    /// Closes, without waiting for anyone, what the program did not.
    virtual void close_forgotten() noexcept = 0;
    /// The same, where the program itself ends. `failure` is the exception that ends it; empty if there is none.
    virtual void end_with_program(const std::string& failure) noexcept;
    /// Leaves everything as it is, for ever: the threads behind it belong to the parent of this process.
    virtual void forget() noexcept = 0;
};

/// Has the writer end as its program does: closed, which waits for readers, if the exit code is 0; else as failed.
void close_at_exit(Writer writer, const std::string& failure);

/// Makes Python call us at its end, and in the child after a fork.
void watch_process();

}  // namespace staithe::python
