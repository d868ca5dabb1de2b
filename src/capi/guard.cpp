#include "capi/guard.hpp"

#include <exception>
#include <new>
#include <string>

namespace staithe::capi {
namespace {

// The text of the last failure: `kept`, unless there was no memory to keep it.
thread_local std::string kept;
thread_local const char* last_error = "";

void remember(const char* message) noexcept {
    try {
        kept = message;
        last_error = kept.c_str();
    } catch (const std::bad_alloc&) {
        last_error = "there is no memory left, not even for saying what failed";
    }
}

}  // namespace

staithe_status status_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::invalid_argument: return STAITHE_INVALID_ARGUMENT;
        case ErrorCode::not_found: return STAITHE_NOT_FOUND;
        case ErrorCode::already_exists: return STAITHE_ALREADY_EXISTS;
        case ErrorCode::timeout: return STAITHE_TIMEOUT;
        case ErrorCode::peer_lost: return STAITHE_PEER_LOST;
        case ErrorCode::closed: return STAITHE_CLOSED;
        case ErrorCode::limit_reached: return STAITHE_LIMIT_REACHED;
        case ErrorCode::protocol: return STAITHE_PROTOCOL;
        case ErrorCode::system: return STAITHE_SYSTEM;
        case ErrorCode::writer_failed: return STAITHE_WRITER_FAILED;
        case ErrorCode::deadlock: return STAITHE_DEADLOCK;
    }
    return STAITHE_SYSTEM;
}

staithe_status status_of_current_exception() noexcept {
    try {
        throw;
    } catch (const Error& error) {
        remember(error.what());
        return status_of(error.code());
    } catch (const std::bad_alloc&) {
        remember("there is no memory left");
        return STAITHE_LIMIT_REACHED;
    } catch (const std::exception& error) {
        remember(error.what());
        return STAITHE_SYSTEM;
    } catch (...) {
        remember("something was thrown that is no std::exception");
        return STAITHE_SYSTEM;
    }
}

}  // namespace staithe::capi

extern "C" {

const char* staithe_last_error() { return staithe::capi::last_error; }

const char* staithe_status_name(staithe_status status) {
    using staithe::capi::status_of;
    if (status == STAITHE_OK) {
        return "ok";
    }
    for (std::size_t code = 0; code < staithe::error_code_count; ++code) {
        if (status_of(static_cast<staithe::ErrorCode>(code)) == status) {
            return staithe::name_of(static_cast<staithe::ErrorCode>(code));
        }
    }
    return "unknown";
}
}
