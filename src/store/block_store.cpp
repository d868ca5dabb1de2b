#include "store/block_store.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace staithe::store {

base::Result<BlockMemory> BlockStore::allocate(Tier tier, std::int64_t bytes) {
    if (tier == Tier::memory && !idle_.empty()) {
        if (idle_.back().bytes == bytes) {
            base::Result<BlockMemory> block(BlockMemory{idle_.back(), tier});
            idle_.pop_back();
            return block;
        }
        // Steps change: the pool may make something of it.
        for (const memory::Allocation& memory : idle_) {
            memory_->free(memory);
        }
        idle_.clear();
    }
    const auto memory = pool_of(tier)->allocate(bytes);
    if (!memory) {
        return base::fail(memory);
    }
    return BlockMemory{*memory, tier};
}

void BlockStore::keep(std::int64_t version, Tier tier, const std::shared_ptr<const Descriptions>& descriptions,
                      std::vector<BlockMemory>& blocks) {
    if (spare_.empty()) {
        spare_.emplace_back();
    }
    versions_.splice(versions_.end(), spare_, spare_.begin());
    Version& kept = versions_.back();
    kept.number = version;
    kept.tier = tier;
    kept.pins = 1;
    kept.counts = true;
    kept.bytes = 0;
    for (const BlockMemory& block : blocks) {
        kept.bytes += block.memory.bytes;
    }
    if (kept.descriptions != descriptions) {
        kept.descriptions = descriptions;
    }
    kept.blocks.swap(blocks);
    ++held_on(tier).versions;
    held_on(tier).bytes += kept.bytes;
    note_in_flight();
}

BlockStore::Versions::iterator BlockStore::find_version(std::int64_t version) {
    return std::find_if(versions_.begin(), versions_.end(),
                        [&](const Version& kept) { return kept.number == version; });
}

void BlockStore::pin(std::int64_t version) {
    if (const auto kept = find_version(version); kept != versions_.end()) {
        ++kept->pins;
    }
}

bool BlockStore::unpin(std::int64_t version) {
    const auto kept = find_version(version);
    if (kept == versions_.end() || kept->pins == 0) {
        return false;
    }
    if (--kept->pins == 0 && retained_ == 0) {
        drop(kept);
    } else {
        drop_what_is_not_retained();
    }
    return true;
}

void BlockStore::set_aside(std::int64_t version) {
    if (const auto kept = find_version(version); kept != versions_.end()) {
        count_no_more(*kept);
    }
}

void BlockStore::count_no_more(Version& version) {
    if (std::exchange(version.counts, false)) {
        Held& held = held_on(version.tier);
        --held.versions;
        held.bytes -= version.bytes;
        note_in_flight();
    }
}

void BlockStore::note_in_flight() { in_flight_.set(held(Tier::memory).bytes + held(Tier::encoded).bytes); }

void BlockStore::retain(std::size_t newest) {
    retained_ = newest;
    drop_what_is_not_retained();
}

void BlockStore::drop_what_is_not_retained() {
    auto version = versions_.begin();
    for (std::size_t left = versions_.size(); left > retained_; --left) {
        const auto oldest = version++;
        if (oldest->pins == 0) {
            drop(oldest);
        }
    }
}

void BlockStore::hand_over(std::int64_t version) {
    if (const auto kept = find_version(version); kept != versions_.end()) {
        free_blocks(*kept);
    }
}

void BlockStore::free_blocks(Version& version) {
    for (const BlockMemory& block : std::views::reverse(version.blocks)) {
        if (block.tier == Tier::memory && block.memory.bytes <= memory::Pool::small_limit) {
            idle_.push_back(block.memory);
        } else {
            free(block);
        }
    }
    version.blocks.clear();
}

void BlockStore::drop(Versions::iterator version) {
    free_blocks(*version);
    count_no_more(*version);
    spare_.splice(spare_.begin(), versions_, version);
}

std::optional<KeptBlock> BlockStore::find(std::string_view variable, std::int64_t version, const Box& box) const {
    for (const Version& kept : versions_) {
        for (std::size_t i = 0; kept.number == version && i < kept.blocks.size(); ++i) {
            const BlockDescription& description = (*kept.descriptions)[i];
            if (description.variable == variable && contains(description.box, box)) {
                return KeptBlock{&description, kept.blocks[i]};
            }
        }
    }
    return std::nullopt;
}

}  // namespace staithe::store
