// The blocks that this process keeps for others, version by version, until nobody needs them.
//
// A version is what was written at once: a step of a stream. It counts on one tier. While it is pinned it is kept;
// after that as long as it is one of the newest that are to be retained. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "base/result.hpp"
#include "memory/pool.hpp"
#include "store/block.hpp"
#include "store/block_ref.hpp"

namespace staithe::store {

/// Versions in memory whose blocks are encoded count by themselves.
enum class Tier : std::uint8_t { memory, encoded, disk };

/// Where the data of a block lies.
struct BlockMemory {
    memory::Allocation memory;
    Tier tier = Tier::memory;
    Encoding encoding = Encoding::raw;
};

using Descriptions = std::vector<BlockDescription>;

struct KeptBlock {
    const BlockDescription* description = nullptr;
    BlockMemory where;
};

/// What is kept on a tier.
struct Held {
    std::int64_t versions = 0;
    std::int64_t bytes = 0;
};

class BlockStore {
  public:
    /// `disk` may be null.
    BlockStore(std::shared_ptr<memory::Pool> memory, std::shared_ptr<memory::Pool> disk)
        : memory_(std::move(memory)), disk_(std::move(disk)) {}

    /// Memory that a dropped version's blocks had, if it has the size; else of the tier's pool.
    base::Result<BlockMemory> allocate(Tier tier, std::int64_t bytes);
    /// Of a block that is not kept.
    void free(const BlockMemory& block) { pool_of(block.tier)->free(block.memory); }

    /// Keeps the blocks, as many as there are descriptions, under one pin; leaves another list in `blocks` for the next
    /// version's: empty, with memory. The version counts on `tier`, even if some of its blocks found no room there.
    void keep(std::int64_t version, Tier tier, const std::shared_ptr<const Descriptions>& descriptions,
              std::vector<BlockMemory>& blocks);
    void pin(std::int64_t version);
    /// False if there is no such version.
    bool unpin(std::int64_t version);
    /// The version stays as it is, but counts in held() no more: others need it, and whoever keeps it here does not.
    void set_aside(std::int64_t version);
    /// The version goes on counting, but its blocks have gone elsewhere: their memory is used again.
    void hand_over(std::int64_t version);
    /// So many of the newest versions stay without a pin; none at first.
    void retain(std::size_t newest);

    /// The block of a variable in a version that holds the box, if one does.
    [[nodiscard]] std::optional<KeptBlock> find(std::string_view variable, std::int64_t version, const Box& box) const;

    [[nodiscard]] Held held(Tier tier) const { return held_[static_cast<std::size_t>(tier)]; }
    /// That there are, set aside or not.
    [[nodiscard]] std::int64_t versions() const { return static_cast<std::int64_t>(versions_.size()); }
    [[nodiscard]] bool has_disk() const { return disk_ != nullptr; }
    [[nodiscard]] const std::shared_ptr<memory::Pool>& pool_of(Tier tier) const {
        return tier == Tier::disk ? disk_ : memory_;
    }

  private:
    struct Version {
        std::int64_t number = 0;
        Tier tier = Tier::memory;
        int pins = 0;
        bool counts = true;
        std::int64_t bytes = 0;
        std::shared_ptr<const Descriptions> descriptions;  // stay when it is dropped: the next ones are often the same
        std::vector<BlockMemory> blocks;
    };
    using Versions = std::list<Version>;
    Held& held_on(Tier tier) { return held_[static_cast<std::size_t>(tier)]; }
    void note_in_flight();
    Versions::iterator find_version(std::int64_t version);
    void drop(Versions::iterator version);
    void free_blocks(Version& version);
    void count_no_more(Version& version);
    void drop_what_is_not_retained();

    const std::shared_ptr<memory::Pool> memory_;
    const std::shared_ptr<memory::Pool> disk_;
    Versions versions_;  // kept, oldest first
    Versions spare_;     // dropped: their lists have memory
    // Small blocks of dropped versions, so that steps which are like the last ones do not ask the pool. The first block
    // of the version that was dropped last is at the end.
    std::vector<memory::Allocation> idle_;
    std::size_t retained_ = 0;
    std::array<Held, 3> held_{};                                // by tier
    base::Holding in_flight_{base::Resource::bytes_in_flight};  // in memory, for the budget of the process
};

}  // namespace staithe::store
