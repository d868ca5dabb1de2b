// Locks of spaces: taken and let go.
#include <string>

#include <staithe/space.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace staithe::capi {
namespace {

SpaceLockMode lock_mode_of(staithe_lock_mode mode) {
    switch (mode) {
        case STAITHE_LOCK_READ: return SpaceLockMode::read;
        case STAITHE_LOCK_WRITE: return SpaceLockMode::write;
        default:
            throw InvalidArgument("there is no lock mode " + std::to_string(mode) +
                                  ": take STAITHE_LOCK_READ or STAITHE_LOCK_WRITE");
    }
}

}  // namespace
}  // namespace staithe::capi

using namespace staithe::capi;

extern "C" {

staithe_status staithe_space_lock(staithe_space* space, const char* variable, staithe_lock_mode mode,
                                  const staithe_selection* box, double timeout, double lease, staithe_lock** lock) {
    return guard([&] {
        staithe_lock*& result = emptied(lock, "lock");
        staithe::SpaceLockOptions options{.box = {}, .timeout = given_number(timeout)};
        if (box != nullptr) {
            options.box = box_of(*box);
        }
        options.lease = given_number(lease).value_or(options.lease);
        result = new staithe_lock{
            given(space, "space").space.lock(&given(variable, "variable"), lock_mode_of(mode), options)};
    });
}

staithe_status staithe_lock_release(staithe_lock** lock) {
    return guard([&] { taken(lock, "lock")->lock.release(); });
}

void staithe_lock_free(staithe_lock** lock) { free_handle(lock); }
}
