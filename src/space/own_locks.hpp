// Locks on spaces that this process keeps: its threads alone have them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "space/keeper.hpp"
#include "store/space/lock_manager.hpp"

namespace staithe::space {

/// One table for all spaces, so that circles over several of them are found. No lease runs out: whoever could be
/// stopped would be so with this. Thread-safe.
class OwnLocks {
  public:
    static OwnLocks& of_this_process();

    base::Result<LockGrant> lock(const std::string& space, store::space::LockTable::Wish wish, std::int64_t thread,
                                 const base::Deadline& deadline);
    base::Result<> unlock(std::int64_t token);
    /// Whether the locks under which it is put are held.
    base::Result<> check(const store::space::Put& put, const std::string& space);

  private:
    std::mutex mutex_;
    std::condition_variable granted_;
    store::space::LockManager manager_;
    std::int64_t last_ticket_ = 0;
};

}  // namespace staithe::space
