// What a space locks and lends: see <staithe/space.hpp>.
//
//     {
//         staithe::SpaceLock lock = space.lock("T", staithe::SpaceLockMode::write);
//         space.put("T", changed(space.get("T").copy<double>()), {.version = 8});
//     }                                                 // released
//     staithe::SpaceLoan loan = space.loan("T");        // what the newest version has, in memory of the server
//     loan.data<double>()[3] = 4;
//     space.publish(std::move(loan));                   // as a new version: nothing is copied
//
// Locks are kept by whoever keeps the space. They exclude each other, not calls of those who take none: who puts
// without a lock is not held up. Who asked first is served first. A lock is leased, and kept up by a thread of the
// library: it ends at once when its process does, and after the lease when that is stopped. What the thread that has
// taken it puts then, under a lock that it has not any more, fails with Closed. Threads: a lock is the thread's that
// has taken it, any thread may release it. Other locks of the same thread are not in its way. Errors: Timeout (and who
// is in the way), Deadlock (who would wait for whom), Closed, PeerLost.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/export.hpp>
#include <staithe/value.hpp>

namespace staithe {

namespace space {
class HeldLock;
struct LentRoom;
}  // namespace space

enum class SpaceLockMode : std::uint8_t {
    read,   // shared with other readers
    write,  // exclusive
};

struct SpaceLockOptions {
    std::optional<Box> box{};         // nothing: the whole variable, whatever its shape
    std::optional<double> timeout{};  // seconds; nothing: the space's
    double lease = 5;                 // seconds after which it is free if this process does not run any more
};

/// Released with it.
class STAITHE_API SpaceLock {
  public:
    SpaceLock(SpaceLock&&) noexcept = default;
    SpaceLock& operator=(SpaceLock&&) noexcept = default;
    SpaceLock(const SpaceLock&) = delete;
    SpaceLock& operator=(const SpaceLock&) = delete;

    /// Closed if it was released before, or its lease ran out: what it was to protect may have changed then.
    void release();

  private:
    friend class Space;
    explicit SpaceLock(std::shared_ptr<space::HeldLock> lock) : lock_(std::move(lock)) {}
    std::shared_ptr<space::HeldLock> lock_;
};

/// How a block is lent.
struct SpaceLend {
    std::optional<Box> box{};               // nothing: all
    std::optional<std::int64_t> version{};  // that it becomes a block of; nothing: a new one after the newest
    // Nothing: as of the newest version that is complete.
    std::optional<Dtype> dtype{};
    std::optional<Extents> shape{};
    std::optional<std::string> unit{};
    Attributes attributes{};          // of the version
    bool complete = false;            // nothing comes after this from this rank
    bool persist = false;             // as `SpacePut` has it
    bool column_major = false;        // the memory is dense in Fortran order, instead of C order
    std::optional<double> timeout{};  // seconds; nothing: the space's
};

/// A block in memory of whoever keeps the space, to compute in, under a write lock of its box. It has what the newest
/// complete version has there, if that is of the same shape and dtype, and 0 elsewhere. Destroyed unpublished, it goes
/// back. Closed if it was published before.
class STAITHE_API SpaceLoan {
  public:
    SpaceLoan(SpaceLoan&&) noexcept = default;
    SpaceLoan& operator=(SpaceLoan&&) noexcept = default;
    SpaceLoan(const SpaceLoan&) = delete;
    SpaceLoan& operator=(const SpaceLoan&) = delete;

    /// Dense in C order, or as the options said.
    [[nodiscard]] MutableArrayView array() const;
    template <class T>
    [[nodiscard]] T* data() const {
        return static_cast<T*>(array().data);
    }
    /// Keeps the memory mapped, if pointers into it may outlive the loan. Once published, its content is the space's.
    [[nodiscard]] std::shared_ptr<const void> owner() const;

  private:
    friend class Space;
    explicit SpaceLoan(std::shared_ptr<space::LentRoom> room) : room_(std::move(room)) {}
    std::shared_ptr<space::LentRoom> room_;
};

}  // namespace staithe
