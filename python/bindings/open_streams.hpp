// The streams that this process has open: what becomes of them when it ends or forks.
#pragma once

namespace staithe::python {

class OpenStream {
  public:
    OpenStream();
    OpenStream(const OpenStream&) = delete;
    OpenStream& operator=(const OpenStream&) = delete;
    virtual ~OpenStream();

    /// Closes, without waiting for anyone, what the program did not.
    virtual void close_forgotten() noexcept = 0;
    /// Leaves everything as it is, for ever: the threads behind it belong to the parent of this process.
    virtual void forget() noexcept = 0;
};

/// Makes Python call us at its end, and in the child after a fork.
void watch_process();

}  // namespace staithe::python
