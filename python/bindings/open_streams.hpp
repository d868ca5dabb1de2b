// The streams that this process has open: what becomes of them when it ends or forks.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include <staithe/writer.hpp>

namespace staithe::python {

class OpenStream {
  public:
    OpenStream();
    OpenStream(const OpenStream&) = delete;
    OpenStream& operator=(const OpenStream&) = delete;
    virtual ~OpenStream() { withdraw(); }

    /// Ends, without waiting for anyone, what the program did not.
    virtual void close_forgotten() noexcept = 0;
    /// This thread has ended by an exception that nobody caught.
    virtual void end_with_thread(const std::string& /*failure*/) noexcept {}
    /// The same, where the program itself ends. `failure` is the exception that ends it; empty if there is none.
    virtual void end_with_program(const std::string& failure) noexcept;
    /// In a forked child: closed here, and left alone in the parent, whose it is (the library sees to that).
    virtual void forget() noexcept = 0;
    /// Its Python object, for as long as code of the user's may drop the last reference to it.
    [[nodiscard]] virtual nanobind::object object() = 0;

  protected:
    /// The first that a destructor does: from then on there is no object to keep.
    void withdraw() noexcept;
};

/// Has the writer end as its program does: closed, which waits for readers, if the exit code is 0; else as failed.
void close_at_exit(Writer writer, const std::string& failure);
/// Ends a writer of that stream that is left to the program's end: another one wants the name.
void end_what_is_left_of(const std::string& stream);

/// Makes Python call us at its end, and in the child after a fork.
void watch_process();

void bind_open_streams(nanobind::module_& module);

}  // namespace staithe::python
