#include "store/remote/encoded_parts.hpp"

#include <algorithm>
#include <utility>

#include "base/result.hpp"
#include "store/remote/traffic.hpp"

namespace staithe::store::remote {
namespace {

/// So many parts are kept without one of them being taken, until no more are; after so many others that is tried again.
constexpr int most_in_vain = 16;
constexpr int parts_between_tries = 512;

bool is_peer(const std::weak_ptr<const Traffic>& one, const std::shared_ptr<const Traffic>& other) {
    return !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace

/// Of the mutex.
class EncodedParts::Kind {
  public:
    [[nodiscard]] std::size_t takers() {
        std::erase_if(peers, [](const auto& each) { return each.expired(); });
        return peers.size();
    }

    std::vector<std::weak_ptr<const Traffic>> peers{};
    int in_vain = 0;  // parts that were kept since one was taken
    int passed = 0;   // parts since no more are
    int kept = 0;     // of those that are kept
};

std::shared_ptr<EncodedParts::Kind> EncodedParts::kind_of(const Offer& offer,
                                                          const std::shared_ptr<const Traffic>& peer) {
    const std::lock_guard lock(mutex_);
    const auto kind = known_kind(offer);
    if (std::ranges::none_of(kind->peers, [&](const auto& each) { return is_peer(each, peer); })) {
        kind->peers.push_back(peer);
        kind->in_vain = 0;
    }
    return kind;
}

std::shared_ptr<EncodedParts::Kind> EncodedParts::known_kind(const Offer& offer) {
    if (const auto found = kinds_.find(offer)) {
        return found->known;
    }
    const auto added = kinds_.add(offer, std::make_shared<Kind>());
    if (added.oldest) {
        drop_all(*added.oldest->known);
    }
    return added.entry.known;
}

void EncodedParts::join(const std::shared_ptr<const Traffic>& peer) {
    const std::lock_guard lock(mutex_);
    ++connections_[peer];
}

void EncodedParts::leave(const std::shared_ptr<const Traffic>& peer) {
    const std::lock_guard lock(mutex_);
    if (--connections_[peer] > 0) {
        return;
    }
    connections_.erase(peer);
    for (const auto& [variable, entry] : kinds_) {
        Kind& kind = *entry.known;
        std::erase_if(kind.peers, [&](const auto& each) { return is_peer(each, peer); });
        if (kind.takers() < 2) {
            drop_all(kind);
        }
    }
}

bool EncodedParts::are_shared(Kind& kind) {
    const std::lock_guard lock(mutex_);
    if (kind.takers() < 2) {
        return false;
    }
    if (kind.in_vain < most_in_vain) {
        return true;
    }
    if (kind.passed == 0) {
        drop_all(kind);
    }
    if (++kind.passed >= parts_between_tries) {
        kind.passed = 0;
        kind.in_vain = 0;
    }
    return false;
}

bool EncodedParts::has_any(const Kind& kind) {
    const std::lock_guard lock(mutex_);
    return kind.kept > 0;
}

std::optional<EncodedParts::Key> EncodedParts::key_of(const ArrayView& elements, const Offer& offer,
                                                      const codecs::Bound& bound) {
    std::string said = fmt::format("{} {:a} {} {:a} {}", static_cast<int>(bound.kind), bound.value,
                                   offer.fill.has_value(), offer.fill.value_or(0.0), offer.codec);
    for (const std::string& variant : offer.variants) {
        said += "," + variant;
    }
    return transform::fingerprint(elements, said);
}

std::shared_ptr<const EncodedParts::Encoded> EncodedParts::take(Kind& kind, const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(key);
    if (found == kept_.end()) {
        return nullptr;
    }
    kind.in_vain = 0;
    auto encoded = found->second.encoded;
    if (--found->second.left == 0) {
        drop(found);
    }
    return encoded;
}

void EncodedParts::keep(const std::shared_ptr<Kind>& kind, const Key& key, Encoded encoded) {
    const std::lock_guard lock(mutex_);
    const std::size_t takers = kind->takers();
    if (takers < 2 || kept_.contains(key)) {
        return;
    }
    ++kind->in_vain;
    ++kind->kept;
    bytes_ += std::ssize(encoded.payload);
    const auto newest = in_order_.insert(in_order_.end(), key);
    kept_.emplace(key, Kept{std::make_shared<const Encoded>(std::move(encoded)), kind, takers - 1, newest});
    while (bytes_ > most_bytes_) {
        drop(kept_.find(in_order_.front()));
    }
}

void EncodedParts::drop(std::map<Key, Kept>::iterator kept) {
    bytes_ -= std::ssize(kept->second.encoded->payload);
    --kept->second.kind->kept;
    in_order_.erase(kept->second.in_order);
    kept_.erase(kept);
}

void EncodedParts::drop_all(const Kind& kind) {
    for (auto next = kept_.begin(); next != kept_.end();) {
        const auto kept = next++;
        if (kept->second.kind.get() == &kind) {
            drop(kept);
        }
    }
}

}  // namespace staithe::store::remote
