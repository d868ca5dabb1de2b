// Many small blocks at once: two messages to the server and back, however many they are.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fields.hpp"
#include "memory/pool.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "space/served/served_keeper.hpp"

namespace staithe::space {

base::Result<std::vector<store::BlockRef>> ServedKeeper::reserve_many(std::span<const Parcel> parcels,
                                                                      std::int64_t ticket,
                                                                      const base::Deadline& deadline) {
    List sizes;
    sizes.reserve(parcels.size());
    for (const Parcel& parcel : parcels) {
        sizes.emplace_back(parcel.put.block.data_bytes());
    }
    const auto answer = ask(request::reserve_many, {{"sizes", std::move(sizes)}, {"ticket", ticket}}, deadline);
    if (!answer) {
        return base::fail(answer);
    }
    const auto store = base::integer_field(answer->body, "store", 0, UINT32_MAX);
    const List* const offsets = base::list_field(answer->body, "at");
    if (!store || offsets == nullptr || offsets->size() != parcels.size()) {
        return base::fail(ErrorCode::protocol, "{} has answered what cannot be understood", server_->title());
    }
    std::vector<store::BlockRef> rooms;
    rooms.reserve(parcels.size());
    for (std::size_t i = 0; i < parcels.size(); ++i) {
        rooms.push_back({.store = static_cast<std::uint32_t>(*store),
                         .offset = (*offsets)[i].as_int().value_or(-1),
                         .bytes = parcels[i].put.block.data_bytes()});
    }
    return rooms;
}

std::vector<base::Result<std::int64_t>> ServedKeeper::put_many(std::span<const Parcel> parcels,
                                                               const base::Deadline& deadline) {
    const auto goes_with_others = [](const Parcel& parcel) {
        return store::space::check_box(parcel.put.block) && parcel.put.block.data_bytes() <= memory::Pool::small_limit;
    };
    if (server_->far() != nullptr || parcels.empty() || parcels.size() > most_blocks_at_once ||
        !std::ranges::all_of(parcels, goes_with_others)) {
        return Keeper::put_many(parcels, deadline);
    }
    const std::int64_t ticket = server_->next_ticket();
    const auto failed = [&](const base::Failure& failure) {
        server_->notify({{"type", request::give_back}, {"ticket", ticket}});
        return std::vector<base::Result<std::int64_t>>(parcels.size(), tl::unexpected(failure));
    };
    const auto rooms = reserve_many(parcels, ticket, deadline);
    if (!rooms && rooms.error().code == ErrorCode::limit_reached) {
        return Keeper::put_many(parcels, deadline);  // each waits for its room
    }
    if (!rooms) {
        return failed(rooms.error());
    }
    for (std::size_t i = 0; i < parcels.size(); ++i) {
        const auto memory = server_->writable((*rooms)[i], deadline);
        if (!memory) {
            return failed(memory.error());
        }
        std::memcpy(*memory, parcels[i].bytes, static_cast<std::size_t>((*rooms)[i].bytes));
    }
    Attributes body = encode(parcels);
    body["ticket"] = ticket;
    const auto answer = ask(request::put_many, std::move(body), deadline);
    auto results = answer ? decode_results(answer->body, parcels.size()) : base::fail(answer);
    return results ? *std::move(results) : failed(results.error());
}

}  // namespace staithe::space
