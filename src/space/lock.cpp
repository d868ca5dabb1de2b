// The public edge of locks.
#include <staithe/space.hpp>

#include "base/text.hpp"
#include "space/described.hpp"
#include "space/door.hpp"
#include "space/held_lock.hpp"

namespace staithe {
namespace {

using store::space::LockMode;
using store::space::LockTable;

/// A shorter one would run out while its renewal is under way.
constexpr double shortest_lease = 0.5;

LockTable::Duration lease_of(const std::string& variable, double seconds) {
    const auto lease = store::space::duration_of(seconds);
    if (!lease || seconds < shortest_lease) {
        throw InvalidArgument(
            fmt::format("a lock on '{}' is leased for {:g} s at least, and a year at most, not for {:g} s",
                        base::printable(variable), shortest_lease, seconds));
    }
    return *lease;
}

}  // namespace

SpaceLock Space::lock(const std::string& variable, SpaceLockMode mode, const SpaceLockOptions& options) {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_variable(variable));
    const LockTable::Wish wish{.variable = variable,
                               .mode = mode == SpaceLockMode::read ? LockMode::read : LockMode::write,
                               .box = options.box.value_or(Box{}),
                               .lease = lease_of(variable, options.lease)};
    const base::Deadline deadline(base::Seconds(timeout_of(options.timeout)), door_->closing());
    return SpaceLock(space::value_or_closed(space::HeldLock::take(keeper, wish, deadline), name_, deadline));
}

void SpaceLock::release() {
    if (lock_ == nullptr) {
        throw Closed("this lock was moved to another object: release that");
    }
    base::value_or_raise(lock_->release());
}

}  // namespace staithe
