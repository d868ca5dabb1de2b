// For hosts that must be able to interrupt a call that blocks, such as an interpreter on Ctrl-C.
#pragma once

#include <staithe/export.hpp>

namespace staithe {

/// `interrupted` is asked about five times a second by every call that sleeps, in its own thread, and never by one
/// that does not. When it says true the call gives up as if its deadline had passed. nullptr: calls sleep through.
/// For the whole process; set it before streams are opened.
STAITHE_API void set_interruption_check(bool (*interrupted)()) noexcept;

}  // namespace staithe
