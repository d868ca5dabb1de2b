// Many small blocks at once: two messages to the server and back, however many they are.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fields.hpp"
#include "memory/pool.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "space/served/served_keeper.hpp"
#include "store/enclosed_source.hpp"

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

std::vector<base::Result<Found>> ServedKeeper::find_many(std::span<const store::space::Wanted> wanted,
                                                         const base::Deadline& deadline) {
    const auto failed = [&](const base::Failure& failure) {
        return std::vector<base::Result<Found>>(wanted.size(), tl::unexpected(failure));
    };
    const auto is_after = [](const store::space::Wanted& each) { return each.after.has_value(); };
    if (wanted.empty() || wanted.size() > most_blocks_at_once || std::ranges::any_of(wanted, is_after)) {
        return Keeper::find_many(wanted, deadline);
    }
    // It is answered at once: what is there is found, however little time there is to wait for what is not.
    const base::Deadline patience(std::max<base::Seconds>(deadline.left(), time_to_answer), deadline.stop());
    const auto answer = ask(request::find_many, encode(wanted), patience);
    auto found = answer ? decode_found_many(answer->body, wanted.size()) : base::fail(answer);
    if (!found) {
        return failed(found.error());
    }
    std::vector<base::Result<Found>> results;
    results.reserve(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto& each = (*found)[i];
        if (!each) {
            results.push_back(find(wanted[i], deadline));
            continue;
        }
        if (*each) {
            (**each).whole.variable = wanted[i].variable;
            (**each).copies = copies_;
            if (const auto held = hold_part(**each, answer->enclosed); !held) {
                return failed(held.error());
            }
        }
        results.push_back(*std::move(each));
    }
    return results;
}

/// Of bytes of many: each has its own, lest one that is kept keeps all.
base::Result<> ServedKeeper::hold_part(Found& found, std::span<const std::byte> enclosed) {
    std::size_t begin = 0, bytes = 0;
    for (const auto& block : found.blocks) {
        begin = bytes == 0 ? static_cast<std::size_t>(block.ref.offset) : begin;
        bytes += static_cast<std::size_t>(store::enclosed_size(block.ref.bytes));
    }
    if (begin > enclosed.size() || bytes > enclosed.size() - begin) {
        return base::fail(ErrorCode::protocol, "an answer has not all of the bytes that it speaks of");
    }
    const auto part = enclosed.subspan(begin, bytes);
    return hold_enclosed(found, {part.begin(), part.end()});
}

}  // namespace staithe::space
