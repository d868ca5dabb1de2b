// Blocks that are lent: computed where they stay.
#include <cstring>
#include <utility>

#include <staithe/space.hpp>

#include "array/strided_copy.hpp"
#include "base/text.hpp"
#include "os/fork.hpp"
#include "space/described.hpp"
#include "space/door.hpp"
#include "space/held_lock.hpp"
#include "space/keeper.hpp"
#include "space/keepers.hpp"
#include "space/view.hpp"

namespace staithe {

/// The room goes back before the lock does.
struct space::LentRoom {
    std::shared_ptr<Keeper> keeper;
    std::shared_ptr<HeldLock> lock;
    store::space::Put put;
    Room room;
};

namespace {

/// The room as an array.
MutableArrayView lent(const store::space::Put& put, const space::Room& room) {
    const Extents& count = put.block.box.count;
    return {room.memory(), put.block.dtype, count, put.block.dense_strides(count)};
}

/// The newest complete version, if there is one to begin with.
base::Result<std::optional<space::Found>> find_base(space::Keeper& keeper, const std::string& variable,
                                                    const SpaceLend& options) {
    auto found = keeper.find({variable, std::nullopt, options.box}, base::Deadline(base::Seconds(0)));
    if (found) {
        return *std::move(found);
    }
    // Nothing is complete, or the box lies in another shape than that.
    const bool is_none = found.error().code == ErrorCode::timeout ||
                         (found.error().code == ErrorCode::invalid_argument && options.shape && options.dtype);
    return is_none ? base::Result<std::optional<space::Found>>(std::nullopt) : base::fail(std::move(found));
}

/// What was found of the box; 0 where that is nothing.
base::Result<> copy_base(const space::Found& found, const Box& box, const MutableArrayView& to) {
    for (const auto& [layer, part] : space::shown_in(found, box)) {
        space::Found one = found;
        one.blocks = {found.blocks[layer]};
        const auto view = space::view_in(one, part);
        if (!view) {
            return base::fail(view);
        }
        Box place{part.offset, part.count};
        for (std::size_t i = 0; i < part.dimensions(); ++i) {
            place.offset[i] -= box.offset[i];
        }
        array::copy({place, Selection::all(part.count)}, to, view->array);
    }
    return {};
}

}  // namespace

SpaceLoan Space::loan(const std::string& variable, const SpaceLend& options) {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_variable(variable));
    const base::Deadline deadline(base::Seconds(timeout_of(options.timeout)), door_->closing());
    SpaceLock lock = this->lock(variable, SpaceLockMode::write, {.box = options.box, .timeout = options.timeout});
    const auto found = base::value_or_raise(find_base(*keeper, variable, options));
    if (!found && !(options.shape && options.dtype)) {
        throw InvalidArgument("no version of '" + base::printable(variable) +
                              "' is complete: say which shape and dtype the new one has");
    }
    const Extents shape = options.shape ? *options.shape : found->whole.shape;
    const Dtype dtype = options.dtype ? *options.dtype : found->whole.dtype;
    const Box box = options.box.value_or(Box::whole(shape));
    const SpacePut said{.offset = box.offset,
                        .shape = shape,
                        .version = options.version,
                        .unit = options.unit.value_or(found ? found->whole.unit : ""),
                        .attributes = options.attributes,
                        .complete = options.complete,
                        .persist = options.persist};
    auto put = base::value_or_raise(
        space::described(variable, MutableArrayView::row_major(nullptr, dtype, box.count), said,
                         {.name = space::own_name(group_), .rank = group_.rank, .ranks = group_.size}));
    put.block.column_major = options.column_major;
    put.locks = {lock.lock_->token()};  // whatever becomes of others that this thread holds
    auto room = space::value_or_closed(keeper->reserve(put, deadline), name_, deadline);
    std::memset(room.memory(), 0, static_cast<std::size_t>(put.block.data_bytes()));
    if (found && found->whole.dtype == dtype && found->whole.shape == shape) {
        base::value_or_raise(copy_base(*found, box, lent(put, room)));
    }
    return SpaceLoan(
        os::kept_at_home(new space::LentRoom{keeper, std::move(lock.lock_), std::move(put), std::move(room)}));
}

std::int64_t Space::publish(SpaceLoan&& loan) {
    const auto room = std::exchange(loan.room_, nullptr);
    const auto keeper = this->keeper();
    if (room == nullptr) {
        throw Closed("this loan was published before, or moved to another object: take a new one");
    }
    if (!keeper->is_same_space(*room->keeper)) {
        throw InvalidArgument("a loan of '" + base::printable(room->put.block.variable) +
                              "' is published in another space than it was taken of");
    }
    const base::Deadline deadline(base::Seconds(timeout_), door_->closing());
    return space::value_or_closed(keeper->put(std::move(room->put), std::move(room->room), deadline), name_, deadline);
}

MutableArrayView SpaceLoan::array() const {
    if (room_ == nullptr) {
        throw Closed("this loan was published, or moved to another object: take a new one");
    }
    return lent(room_->put, room_->room);
}

std::shared_ptr<const void> SpaceLoan::owner() const {
    return room_ == nullptr ? nullptr : std::shared_ptr<const void>(room_->keeper);
}

}  // namespace staithe
