// What was encoded for one peer, kept for others who take the same: so that it is encoded once for several readers.
//
// Parts are told apart by what their elements are, and not by where they lie: so neither memory that is used again, nor
// a peer that asks for what it has not pinned, can make one part stand for another. Nothing is kept of what one peer
// alone takes, and soon nothing any more where peers take the same variable, but different parts of it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>

#include "store/remote/by_offer.hpp"
#include "store/remote/messages.hpp"
#include "transform/checksum.hpp"
#include "transform/choosing/chooser.hpp"

namespace staithe::store::remote {

class Traffic;

class EncodedParts {
  public:
    explicit EncodedParts(std::int64_t most_bytes = std::int64_t{64} << 20) : most_bytes_(most_bytes) {}

    /// Of elements, and all that what becomes of them depends on.
    using Key = transform::Fingerprint;
    struct Encoded {
        std::vector<std::byte> payload;
        transform::Way way;
    };

    /// What several peers may take alike.
    class Kind;
    /// That of an offer by this peer, which is one of its takers from now on.
    [[nodiscard]] std::shared_ptr<Kind> kind_of(const Offer& offer, const std::shared_ptr<const Traffic>& peer);
    /// It has one more connection, or one less: without any it takes no more, and what was kept for it goes.
    void join(const std::shared_ptr<const Traffic>& peer);
    void leave(const std::shared_ptr<const Traffic>& peer);
    /// Whether parts of that kind are to be looked for here, and kept.
    [[nodiscard]] bool are_shared(Kind& kind);

    [[nodiscard]] bool has_any(const Kind& kind);
    /// Under that bound, which was resolved. Nothing of elements that lie far apart: to look at them would take as long
    /// as to encode them.
    [[nodiscard]] static std::optional<Key> key_of(const ArrayView& elements, const Offer& offer,
                                                   const codecs::Bound& bound);
    /// What was kept under it; counts as taken.
    [[nodiscard]] std::shared_ptr<const Encoded> take(Kind& kind, const Key& key);
    /// Until all other takers have it, or what came later needs the room.
    void keep(const std::shared_ptr<Kind>& kind, const Key& key, Encoded encoded);

  private:
    struct Kept {
        std::shared_ptr<const Encoded> encoded;
        std::shared_ptr<Kind> kind;
        std::size_t left = 0;  // who will take it
        std::list<Key>::iterator in_order;
    };
    std::shared_ptr<Kind> known_kind(const Offer& offer);
    void drop(std::map<Key, Kept>::iterator kept);
    void drop_all(const Kind& kind);

    const std::int64_t most_bytes_;
    std::mutex mutex_;
    std::map<std::shared_ptr<const Traffic>, int> connections_;
    ByOffer<std::shared_ptr<Kind>> kinds_;  // whose takers are known
    std::map<Key, Kept> kept_;
    std::list<Key> in_order_;  // the oldest first
    std::int64_t bytes_ = 0;
};

}  // namespace staithe::store::remote
