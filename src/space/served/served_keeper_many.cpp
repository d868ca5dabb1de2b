// Many small blocks at once: two messages to the server and back, however many they are.
#include <algorithm>
#include <cstring>
#include <future>
#include <iterator>
#include <utility>

#include "base/fields.hpp"
#include "memory/pool.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "space/served/served_keeper.hpp"
#include "store/enclosed_source.hpp"

namespace staithe::space {
namespace {

/// Few enough that a server and who asks it work at the same time, many enough that what a message costs does not
/// matter.
constexpr std::size_t found_at_once = 256;

}  // namespace

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
    const auto is_alone = [](const store::space::Wanted& each) { return each.after || !each.boxes.empty(); };
    if (wanted.empty() || std::ranges::any_of(wanted, is_alone)) {
        return Keeper::find_many(wanted, deadline);
    }
    std::vector<FoundOrNot> found;
    found.reserve(wanted.size());
    std::future<std::vector<FoundOrNot>> looked_at;  // in the answer before, while the server looks for the next ones
    const auto take = [&] {
        if (looked_at.valid()) {
            std::ranges::move(looked_at.get(), std::back_inserter(found));
        }
    };
    const auto launch = wanted.size() > found_at_once ? std::launch::async : std::launch::deferred;
    for (auto left = wanted; !left.empty();) {
        const auto part = left.first(std::min(left.size(), found_at_once));
        left = left.subspan(part.size());
        // It is answered at once: what is there is found, however little time there is to wait for what is not.
        const base::Deadline patience(std::max<base::Seconds>(deadline.left(), time_to_answer), deadline.stop());
        auto answer = ask(request::find_many, encode(part), patience);
        take();
        if (!answer) {
            found.resize(wanted.size(), base::Result<Found>(base::fail(answer)));  // the rest
            break;
        }
        looked_at = std::async(launch, [this, part, answer = *std::move(answer)] { return found_in(answer, part); });
    }
    take();
    std::vector<base::Result<Found>> results;
    results.reserve(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        results.push_back(found[i] ? *std::move(found[i]) : find(wanted[i], deadline));
    }
    return results;
}

std::vector<FoundOrNot> ServedKeeper::found_in(const transport::Packet& answer,
                                               std::span<const store::space::Wanted> wanted) const {
    auto found = decode_found_many(answer.body, wanted.size());
    if (!found) {
        return std::vector<FoundOrNot>(wanted.size(), base::Result<Found>(base::fail(found)));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto& each = (*found)[i];
        if (each && *each) {
            (**each).whole.variable = wanted[i].variable;
            (**each).copies = copies_;
            if (const auto held = hold_part(**each, answer.enclosed); !held) {
                each = base::fail(held);
            }
        }
    }
    return *std::move(found);
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
