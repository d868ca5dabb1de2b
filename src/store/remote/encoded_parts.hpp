// What was encoded for one peer, kept for others who take the same: so that several readers cost no more work than one.
//
// Parts are told apart by what their elements are, and not by where they lie: so neither memory that is used again, nor
// a peer that asks for what it has not pinned, can make one part stand for another. Nothing is kept of what one peer
// alone takes. Thread-safe.
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

    /// How many peers there are that take what is offered like that, with this one.
    std::size_t takers(const Offer& offer, const std::shared_ptr<const Traffic>& peer);
    [[nodiscard]] bool is_empty() const;
    /// Under that bound, which was resolved. Nothing of elements that lie far apart: to look at them would take as long
    /// as to encode them.
    [[nodiscard]] static std::optional<Key> key_of(const ArrayView& elements, const Offer& offer,
                                                   const codecs::Bound& bound);
    /// What was kept under it; counts as taken.
    [[nodiscard]] std::shared_ptr<const Encoded> take(const Key& key);
    /// Until so many have taken it, or what came later needs the room.
    void keep(const Key& key, Encoded encoded, std::size_t times);

  private:
    struct Kept {
        std::shared_ptr<const Encoded> encoded;
        std::size_t left = 0;  // who will take it
        std::list<Key>::iterator in_order;
    };
    struct Takers {
        Offer offer;
        std::vector<std::weak_ptr<const Traffic>> peers;
    };
    void drop(std::map<Key, Kept>::iterator kept);

    const std::int64_t most_bytes_;
    mutable std::mutex mutex_;
    std::vector<Takers> takers_;
    std::map<Key, Kept> kept_;
    std::list<Key> in_order_;  // the oldest first
    std::int64_t bytes_ = 0;
};

}  // namespace staithe::store::remote
