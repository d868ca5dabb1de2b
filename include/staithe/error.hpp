// Errors of the public C++ interface.
//
// Every call that can fail throws a class derived from `staithe::Error`. The message says what happened, to
// whom (program, host, pid, rank where a peer is concerned) and what to do about it; `code()` is what other
// languages translate. Thread safety: value types, no shared state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <staithe/export.hpp>

namespace staithe {

/// What happened, in one word.
enum class ErrorCode : std::uint8_t {
    invalid_argument,  // the call cannot mean anything: a shape, a name, a dtype that does not fit
    not_found,         // no such stream, variable or attribute
    already_exists,    // the name is taken by a live writer, or a variable was put twice in a step
    timeout,           // a deadline passed
    peer_lost,         // another process died or went away in the middle
    closed,            // this object was closed before
    limit_reached,     // a budget or a limit of the machine: memory, descriptors
    protocol,          // a peer sent what this version does not understand
    system,            // the operating system refused
    writer_failed,     // a writer ended its stream as failed, since its program could not go on
    deadlock,          // programs wait for each other in a circle
};

/// How many codes there are.
inline constexpr std::size_t error_code_count = static_cast<std::size_t>(ErrorCode::deadlock) + 1;

/// The stable name of a code, e.g. "peer_lost".
STAITHE_API const char* name_of(ErrorCode code) noexcept;

/// What all of them derive from.
class STAITHE_API Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }

  private:
    ErrorCode code_;
};

/// One class a code, so that callers catch what they can handle.
template <ErrorCode Code, class Base = Error>
class ErrorOf : public Base {
  public:
    explicit ErrorOf(const std::string& message) : Base(Code, message) {}

  protected:
    /// Of a class that is a kind of this one.
    ErrorOf(ErrorCode code, const std::string& message) : Base(code, message) {}
};

using InvalidArgument = ErrorOf<ErrorCode::invalid_argument>;
using NotFound = ErrorOf<ErrorCode::not_found>;
using AlreadyExists = ErrorOf<ErrorCode::already_exists>;
using Timeout = ErrorOf<ErrorCode::timeout>;
using PeerLost = ErrorOf<ErrorCode::peer_lost>;
using Closed = ErrorOf<ErrorCode::closed>;
using LimitReached = ErrorOf<ErrorCode::limit_reached>;
using ProtocolError = ErrorOf<ErrorCode::protocol>;
using SystemFailure = ErrorOf<ErrorCode::system>;
using WriterFailed = ErrorOf<ErrorCode::writer_failed, PeerLost>;
using Deadlock = ErrorOf<ErrorCode::deadlock>;

}  // namespace staithe
