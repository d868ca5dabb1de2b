// A space that this process keeps: what it puts it finds again, as nobody else does.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory/pool.hpp"
#include "space/keeper.hpp"
#include "space/own_locks.hpp"
#include "space/pool_blocks.hpp"

namespace staithe::space {

class OwnKeeper final : public Keeper {
  public:
    /// The space of that name: one in a process, as long as somebody has it.
    static base::Result<std::shared_ptr<OwnKeeper>> of(const std::string& space);

    [[nodiscard]] std::string title() const override { return "this process"; }
    base::Result<Room> reserve(const store::space::Put& put, const base::Deadline& deadline) override;
    using Keeper::put;
    base::Result<std::int64_t> put(store::space::Put put, Room room, const base::Deadline& deadline) override;
    base::Result<Found> find(const store::space::Wanted& wanted, const base::Deadline& deadline) override;
    base::Result<std::vector<std::string>> list(const std::string& pattern) override;
    base::Result<std::vector<Listed>> versions(const std::string& variable) override;
    base::Result<> remove(const std::string& variable, std::optional<std::int64_t> version) override;
    base::Result<std::int64_t> remove_container(const std::string& path) override;
    base::Result<> set_attributes(const std::string& path, const Attributes& attributes) override;
    base::Result<Attributes> attributes(const std::string& path) override;
    base::Result<std::vector<std::string>> list_containers(const std::string& pattern) override;
    base::Result<> retain(const std::string& variable, const store::space::RetentionRules& rules) override;
    base::Result<LockGrant> lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                 const base::Deadline& deadline) override;
    base::Result<> unlock(std::int64_t token) override { return locks_.unlock(token); }
    void drop_lock(std::int64_t token) noexcept override { static_cast<void>(locks_.unlock(token)); }

  private:
    OwnKeeper(const std::string& space, std::shared_ptr<PoolBlocks> blocks);

    const std::string space_;
    OwnLocks& locks_ = OwnLocks::of_this_process();
    const std::shared_ptr<PoolBlocks> blocks_;
    std::mutex mutex_;
    std::condition_variable completed_;
    store::space::Catalog catalog_;
};

}  // namespace staithe::space
