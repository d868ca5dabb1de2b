// Locks of spaces, taken and let go, and the blocks that they lend under them.
#include <string>

#include <staithe/space.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

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
        staithe::SpaceLockOptions options{.box = given_box(box), .timeout = given_number(timeout)};
        options.lease = given_number(lease).value_or(options.lease);
        result = new staithe_lock{
            given(space, "space").space.lock(&given(variable, "variable"), lock_mode_of(mode), options)};
    });
}

staithe_status staithe_lock_release(staithe_lock** lock) {
    return guard([&] { taken(lock, "lock")->lock.release(); });
}

void staithe_lock_free(staithe_lock** lock) { free_handle(lock); }

staithe_status staithe_space_loan(staithe_space* space, const char* variable, const staithe_space_loan_options* options,
                                  staithe_loan** loan) {
    return guard([&] {
        staithe_loan*& result = emptied(loan, "loan");
        result =
            new staithe_loan{given(space, "space").space.loan(&given(variable, "variable"), space_lend_of(options))};
    });
}

staithe_status staithe_space_publish(staithe_space* space, staithe_loan** loan, int64_t* version) {
    return guard([&] {
        const auto ending = taken(loan, "loan");
        auto* const lent = std::get_if<staithe::SpaceLoan>(&ending->loan);
        if (lent == nullptr) {
            throw staithe::InvalidArgument(
                "a stream has lent this loan, not the space: staithe_write_step_publish makes it a block of its step");
        }
        const int64_t number = given(space, "space").space.publish(std::move(*lent));
        if (version != nullptr) {
            *version = number;
        }
    });
}
}
