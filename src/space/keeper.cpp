#include "space/keeper.hpp"

#include <cstring>

#include "store/reducing/reduce_blocks.hpp"

namespace staithe::space {

Found found_in(const std::shared_ptr<const store::space::Version>& version, const store::space::Wanted& wanted) {
    return {.version = version->number(),
            .serial = version->serial(),
            .completion = version->completion(),
            .whole = version->whole(),
            .blocks = wanted.boxes.empty() ? version->meeting(wanted.box.value_or(Box::whole(version->shape())))
                                           : version->meeting(wanted.boxes),
            .source = nullptr,
            .pin = version};
}

Listed listed(const store::space::Version& version) {
    return {.version = version.number(),
            .serial = version.serial(),
            .is_complete = version.is_complete(),
            .completion = version.completion(),
            .blocks = static_cast<std::int64_t>(version.block_count()),
            .bytes = version.bytes(),
            .whole = version.whole()};
}

base::Result<std::int64_t> Keeper::put(const Parcel& parcel, const base::Deadline& deadline) {
    auto room = reserve(parcel.put, deadline);
    if (!room) {
        return base::fail(std::move(room));
    }
    if (room->memory() != parcel.bytes) {
        std::memcpy(room->memory(), parcel.bytes, static_cast<std::size_t>(parcel.put.block.data_bytes()));
    }
    return put(parcel.put, *std::move(room), deadline);
}

std::vector<base::Result<std::int64_t>> Keeper::put_many(std::span<const Parcel> parcels,
                                                         const base::Deadline& deadline) {
    std::vector<base::Result<std::int64_t>> results;
    results.reserve(parcels.size());
    for (const Parcel& parcel : parcels) {
        results.push_back(put(parcel, deadline));
    }
    return results;
}

std::vector<base::Result<Found>> Keeper::find_many(std::span<const store::space::Wanted> wanted,
                                                   const base::Deadline& deadline) {
    std::vector<base::Result<Found>> results;
    results.reserve(wanted.size());
    for (const store::space::Wanted& each : wanted) {
        results.push_back(find(each, deadline));
    }
    return results;
}

base::Failure no_lock(const store::space::LockTable::Wish& wish, const base::Deadline& deadline, bool was_interrupted,
                      const std::string& in_the_way) {
    const std::string title = store::space::describe_lock(wish.variable, wish.mode, wish.box);
    return {ErrorCode::timeout,
            was_interrupted ? fmt::format("waiting for a lock on {} was interrupted", title)
                            : fmt::format("waited {:g} s for a lock on {}: {}", deadline.seconds(), title, in_the_way)};
}

base::Result<> Keeper::reduce(store::BlockSource& source, std::span<const store::BlockRef> refs,
                              std::span<const store::Piece> pieces, store::reducing::Reduction& into,
                              const base::Deadline& /*deadline*/) {
    return store::reducing::reduce_blocks(source, refs, pieces, into);
}

}  // namespace staithe::space
