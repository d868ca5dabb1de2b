// A place where a thread sleeps until it has reason to look again, whatever wakes it.
#pragma once

#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "transport/patience.hpp"

namespace staithe::transport {

class Waitable {
  public:
    virtual ~Waitable() = default;

    /// Waits until `ready()`, the deadline or an interruption, and returns the last `ready()`: spins first, as far as
    /// `patience` goes, then sleeps until there is news, and looks again. One thread at a time.
    virtual bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) = 0;

    /// Has the thread that waits here look again. Call it after the change that it looks for, from any thread of this
    /// process; where nobody sleeps it costs a fence and a load.
    virtual void wake() = 0;
};

}  // namespace staithe::transport
