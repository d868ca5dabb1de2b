// A lock that this process holds, and under which of them a thread puts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "space/keeper.hpp"

namespace staithe::space {

/// Released with it, at the latest. Thread-safe; but what it covers is what the thread puts that has taken it.
class HeldLock {
  public:
    static base::Result<std::shared_ptr<HeldLock>> take(const std::shared_ptr<Keeper>& keeper,
                                                        const store::space::LockTable::Wish& wish,
                                                        const base::Deadline& deadline);
    ~HeldLock();  // not in a forked child
    HeldLock(const HeldLock&) = delete;
    HeldLock& operator=(const HeldLock&) = delete;

    /// `closed` if it was released before, or has ended otherwise.
    base::Result<> release();
    [[nodiscard]] bool is_released() const { return is_released_; }
    [[nodiscard]] std::int64_t token() const { return grant_.token; }

    /// The tokens with which this thread puts such a block. `invalid_argument` if it has locked a part of it only.
    static base::Result<std::vector<std::int64_t>> tokens_for(const Keeper& keeper, const std::string& variable,
                                                              const Box& box);

  private:
    HeldLock(std::shared_ptr<Keeper> keeper, store::space::LockTable::Wish wish, LockGrant grant);
    [[nodiscard]] std::string title() const;

    const std::shared_ptr<Keeper> keeper_;
    const store::space::LockTable::Wish wish_;
    LockGrant grant_;
    std::atomic<bool> is_released_{false};
};

}  // namespace staithe::space
