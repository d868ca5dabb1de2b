#include "space/served/twin_source.hpp"
#include "store/space/home.hpp"

#include <algorithm>
#include <utility>

namespace staithe::space {

using store::BlockRef;
using store::Piece;
using store::space::VersionBlock;

TwinSource::TwinSource(std::shared_ptr<store::BlockSource> source, std::span<const VersionBlock> blocks, int servers,
                       Reach reach)
    : source_(std::move(source)), servers_(servers), reach_(std::move(reach)) {
    for (const VersionBlock& block : blocks) {
        if (block.twin) {
            twins_.emplace(store::space::place_of(block.ref), *block.twin);
        }
    }
}

base::Result<> TwinSource::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) {
    auto fetched = source_->fetch(refs, pieces, destination);
    if (fetched || fetched.error().code != ErrorCode::peer_lost) {
        return fetched;
    }
    std::map<int, std::vector<Piece>> by_server;
    for (const Piece& piece : pieces) {
        by_server[store::space::holder_of(refs[piece.block].store, servers_)].push_back(piece);
    }
    fetched = {};
    for (auto server = by_server.begin(); server != by_server.end() && fetched; ++server) {
        fetched = fetch_of_one(refs, server->second, destination);
    }
    return fetched;
}

base::Result<> TwinSource::fetch_of_one(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                        const MutableArrayView& destination) {
    auto fetched = source_->fetch(refs, pieces, destination);
    if (fetched || fetched.error().code != ErrorCode::peer_lost) {
        return fetched;
    }
    std::vector<BlockRef> there(refs.begin(), refs.end());
    std::vector<VersionBlock> blocks;
    for (const Piece& piece : pieces) {
        const auto twin = twins_.find(store::space::place_of(refs[piece.block]));
        if (twin == twins_.end()) {
            return fetched;
        }
        BlockRef& ref = there[piece.block];
        std::tie(ref.store, ref.offset) = twin->second;
        blocks.push_back({.box = piece.description->box, .ref = ref});
    }
    const auto source = reach_(blocks);
    return source ? (*source)->fetch(there, pieces, destination) : fetched;
}

}  // namespace staithe::space
