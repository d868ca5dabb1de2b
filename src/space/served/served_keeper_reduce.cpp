// What lies with a server of another host is reduced there, if less comes back than would come otherwise.
#include <algorithm>
#include <utility>

#include "base/fields.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_reduce.hpp"
#include "space/served/served_keeper.hpp"

namespace staithe::space {

base::Result<> ServedKeeper::reduce(store::BlockSource& source, std::span<const store::BlockRef> refs,
                                    std::span<const store::Piece> pieces, store::reducing::Reduction& into,
                                    const base::Deadline& deadline) {
    std::int64_t bytes = 0;
    for (const store::Piece& piece : pieces) {
        bytes += size_in_bytes(piece.overlap.destination.count, piece.description->dtype).value_or(0);
    }
    const auto reduced = static_cast<std::int64_t>(into.parts().size());
    // So few of them came with what was found (`most_enclosed`), and may be held no more.
    if (server_->far() == nullptr || bytes <= most_enclosed || std::cmp_greater(reduced, most_reduced_bytes) ||
        reduced >= bytes) {
        return Keeper::reduce(source, refs, pieces, into, deadline);
    }
    while (!pieces.empty()) {
        const auto some = pieces.first(std::min(most_pieces_at_once, pieces.size()));
        const auto answer = ask(request::reduce, encode(into, refs, some), deadline);
        const List* const parts = answer ? base::list_field(answer->body, "parts") : nullptr;
        const auto decoded =
            parts == nullptr
                ? base::fail(ErrorCode::protocol, "{} has not said what it made of its blocks", server_->title())
                : decode_bytes(*parts, into.parts().size());
        const auto added = decoded ? into.add(*decoded) : base::fail(decoded);
        if (!answer || !added) {
            return answer ? added : base::fail(answer);
        }
        pieces = pieces.subspan(some.size());
    }
    return {};
}

}  // namespace staithe::space
