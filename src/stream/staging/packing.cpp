#include "stream/staging/packing.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

namespace staithe::stream {

base::Result<Packing> Packing::of(const std::vector<store::BlockRef>& blocks, const Stowage& stowage,
                                  std::vector<store::remote::Sent> sent) {
    std::ranges::sort(sent, {}, [](const auto& each) { return std::pair(each.block, each.first); });
    std::vector<store::BlockRef> packed = blocks;
    std::vector<std::vector<store::StoredPart>> parts(blocks.size());
    auto next = sent.begin();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto end = std::find_if(next, sent.end(), [&](const auto& each) { return each.block != i; });
        if (std::any_of(next, end, [](const auto& each) { return each.is_payload; })) {
            std::int64_t behind = 0;
            if (std::any_of(next, end, [&](const auto& each) {
                    return each.first != std::exchange(behind, behind + each.data_bytes);
                })) {
                return base::fail(ErrorCode::protocol, "the parts of a block do not lie one behind the other");
            }
            std::transform(next, end, std::back_inserter(parts[i]), [](const auto& each) {
                return store::StoredPart{each.data_bytes, each.bytes, each.is_payload};
            });
            packed[i].encoding = store::Encoding::parts;
            packed[i].bytes = store::places_of(parts[i]).bytes;
        }
        next = end;
    }
    const auto places = stow(packed);
    if (!places) {
        return base::fail(places);
    }
    Packing packing;
    packing.blocks = std::move(packed);
    packing.bytes = places->bytes;
    next = sent.begin();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t from = stowage.offsets[i], to = places->offsets[i];
        packing.blocks[i].offset = to;
        if (parts[i].empty()) {
            packing.moves.push_back({from, to, blocks[i].bytes});
            next = std::find_if(next, sent.end(), [&](const auto& each) { return each.block != i; });
            continue;
        }
        for (const std::int64_t place : store::places_of(parts[i]).places) {
            packing.moves.push_back({from + next->first, to + place, next->bytes});
            ++next;
        }
        packing.heads.push_back({to, std::move(parts[i])});
    }
    return packing;
}

bool Packing::goes_in_place(std::int64_t room) const {
    for (std::size_t i = 0; i < moves.size(); ++i) {
        // Behind it lies what is yet to be moved.
        const std::int64_t end = i + 1 < moves.size() ? moves[i + 1].from : room;
        if (moves[i].to + moves[i].bytes > end) {
            return false;
        }
    }
    return true;
}

void Packing::carry_out(std::byte* to, const std::byte* from) const {
    for (const Move& move : moves) {
        std::memmove(to + move.to, from + move.from, static_cast<std::size_t>(move.bytes));
    }
    for (const Head& head : heads) {  // where nothing lies any more that is to be moved
        store::write_head(to + head.to, head.parts);
    }
}

}  // namespace staithe::stream
