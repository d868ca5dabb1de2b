// Small blocks of versions that are complete become larger ones, since those who read pay for each: by a thread, which
// holds no mutex while it looks for them and copies them. Who holds a version goes on seeing the blocks that were
// there.
//
// It takes memory only where much is free, and lets go of it when somebody else wants it: see `give_way`.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/stores.hpp"
#include "space/pool_blocks.hpp"
#include "store/space/catalog.hpp"
#include "store/space/merging.hpp"
#include "transport/errands.hpp"

namespace staithe::server {

/// Under the reception's mutex, but for the thread.
class Merging {
  public:
    using Spaces = std::map<std::string, std::unique_ptr<store::space::Catalog>>;
    /// Blocks that are on their way to disk.
    using Leaving = std::map<store::space::BlockPlace, bool>;
    /// `has_let_go` is called after it has given way.
    Merging(std::mutex& mutex, const Spaces& spaces, Stores& stores, const Leaving& leaving,
            std::function<void()> has_let_go)
        : mutex_(mutex), spaces_(spaces), stores_(stores), leaving_(leaving), has_let_go_(std::move(has_let_go)) {}

    /// One that has become complete.
    void add(const std::string& space, const store::space::Version& version);
    /// To be called now and then, but not at once: many a version is gone soon. `owner`, of the mutex and all the rest,
    /// stays as long as it takes.
    void begin(const std::weak_ptr<const void>& owner);
    /// Somebody has found no room: whether there will be some because this lets go of what it has taken.
    bool give_way();
    /// Nothing more is merged.
    void end();

  private:
    struct Waiting {
        std::string space, variable;
        std::int64_t version = 0, serial = 0;
        std::int64_t needs = 0;  // bytes, for which there was no room
    };
    using Version = std::shared_ptr<const store::space::Version>;
    struct Part;

    void run();
    [[nodiscard]] bool may_go_on() const { return !waiting_.empty() && !gives_way_ && leaving_.empty(); }
    [[nodiscard]] Version find(const Waiting& waiting) const;
    [[nodiscard]] bool has_room(std::int64_t bytes) const;
    std::int64_t merge(const std::string& space, Version version, std::unique_lock<std::mutex>& lock);
    std::optional<std::vector<store::space::VersionBlock>> make(const store::space::Version& version, const Part& part,
                                                                std::span<const store::space::Merge> merges);
    void give_back(std::span<const store::space::VersionBlock> made);

    std::mutex& mutex_;
    const Spaces& spaces_;
    Stores& stores_;
    const Leaving& leaving_;
    const std::function<void()> has_let_go_;
    std::deque<Waiting> waiting_;
    std::shared_ptr<space::PoolBlocks> own_;  // what merged blocks lie in; once there are any
    bool is_running_ = false, has_ended_ = false;
    bool has_memory_ = false;  // that is in no version yet
    std::atomic<bool> gives_way_{false};
    transport::Errands errands_;
};

}  // namespace staithe::server
