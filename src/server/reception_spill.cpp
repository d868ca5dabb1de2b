// Blocks that nobody has used for long go to disk when there is no room in memory, and are read from there. They are
// copied in the errands' thread without the mutex, and lie in one place or the other for whoever asks meanwhile.
#include <algorithm>
#include <functional>
#include <utility>

#include "server/reception.hpp"

namespace staithe::server {

using store::space::place_of;
using store::space::Version;

/// Nobody may take its memory until `end_copying`.
Reception::Copy Reception::begin_copying(const store::BlockRef& ref) {
    copying_.emplace(place_of(ref), false);
    return {.from = ref, .bytes = stores_.find(ref.store)->address_of(ref)};
}

void Reception::end_copying(const store::BlockRef& ref) {
    if (copying_.extract(place_of(ref)).mapped()) {
        free(ref);
    }
}

/// As many as the disk has room for, in this order. Without the mutex.
base::Result<> Reception::copy_to_disk(std::span<Copy> copies) {
    for (Copy& copy : copies) {
        const auto room = stores_.allocate_on_disk(copy.from.bytes);
        if (!room) {
            return base::fail(room);
        }
        stores_.write_to_disk(*room, copy.bytes);
        copy.to = *room;
    }
    return {};
}

/// Versions that nobody holds, those first that nobody has used for the longest time; together of so many bytes in
/// memory, if there are as many. They are being copied from now on.
std::vector<Reception::Leaving> Reception::coldest(std::int64_t bytes) {
    struct Candidate {
        base::Clock::time_point last_use;
        const std::string* space;
        const std::string* variable;
        const Version* version;
    };
    std::vector<Candidate> candidates;
    const auto has_memory = [this](const Version& version) {
        for (std::size_t place = 0; place < version.block_count(); ++place) {
            if (stores_.is_in_memory(version.ref(place))) {
                return true;
            }
        }
        return false;
    };
    for (const auto& [space, catalog] : spaces_) {
        catalog->visit_unheld([&, of = &space](const std::string& variable, const Version& version) {
            if (has_memory(version)) {
                candidates.push_back({version.last_use(), of, &variable, &version});
            }
        });
    }
    std::ranges::make_heap(candidates, std::greater(), &Candidate::last_use);
    std::vector<Leaving> leaving;
    while (bytes > 0 && !candidates.empty()) {
        std::ranges::pop_heap(candidates, std::greater(), &Candidate::last_use);
        const Candidate coldest = candidates.back();
        candidates.pop_back();
        Leaving& next = leaving.emplace_back(*coldest.space, *coldest.variable, coldest.version->number(),
                                             coldest.version->serial());
        for (std::size_t place = 0; place < coldest.version->block_count(); ++place) {
            if (const store::BlockRef& ref = coldest.version->ref(place); stores_.is_in_memory(ref)) {
                next.blocks.push_back(begin_copying(ref));
                bytes -= ref.bytes;
            }
        }
    }
    return leaving;
}

/// Whether there is more room in memory than before. Gives the mutex away meanwhile.
bool Reception::spill(std::int64_t bytes, std::unique_lock<std::mutex>& lock) {
    if (!stores_.has_disk()) {
        return false;
    }
    std::vector<Leaving> leaving = coldest(bytes);
    lock.unlock();
    base::Result<> copied;
    for (auto next = leaving.begin(); copied && next != leaving.end(); ++next) {
        copied = copy_to_disk(next->blocks);
    }
    lock.lock();
    bool has_room = false;
    for (const Leaving& each : leaving) {
        has_room |= settle(each);
    }
    why_not_spilled_ = copied ? "" : copied.error().message;
    if (copied && !has_room) {
        offer_copies(bytes, lock);
    }
    return has_room;
}

/// The version has moved, unless part of it was not copied, or somebody holds it by now, or it has gone.
bool Reception::settle(const Leaving& leaving) {
    store::space::BlockMoves moves;
    for (const Copy& copy : leaving.blocks) {
        if (copy.to) {
            moves.emplace(place_of(copy.from), place_of(*copy.to));
        }
    }
    const auto catalog = spaces_.find(leaving.space);
    const bool has_moved = catalog != spaces_.end() && moves.size() == leaving.blocks.size() &&
                           catalog->second->move(leaving.variable, leaving.version, leaving.serial, moves) > 0;
    for (const Copy& copy : leaving.blocks) {
        end_copying(copy.from);
        if (has_moved) {
            free(copy.from);
        } else if (copy.to) {
            stores_.free(*copy.to);
        }
    }
    return has_moved;
}

/// Who waits for room may get some as soon as nobody holds a version any more.
void Reception::grant_if_spilled() {
    if (!wishes_.empty() && stores_.has_disk()) {
        grant_later();
    }
}

}  // namespace staithe::server
