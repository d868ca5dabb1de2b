#include "store/remote/encoded_parts.hpp"

#include <algorithm>
#include <utility>

#include "store/remote/traffic.hpp"

namespace staithe::store::remote {
namespace {

/// Kinds of offers whose takers are counted; who makes up more of them has them counted anew.
constexpr std::size_t most_kinds = 256;

}  // namespace

std::size_t EncodedParts::takers(const Offer& offer, const std::shared_ptr<const Traffic>& peer) {
    const std::lock_guard lock(mutex_);
    auto alike = std::ranges::find_if(takers_, [&](const Takers& each) { return are_alike(each.offer, offer); });
    if (alike == takers_.end()) {
        if (takers_.size() >= most_kinds) {
            takers_.clear();
        }
        takers_.push_back({offer, {}});
        alike = takers_.end() - 1;
    }
    auto& peers = alike->peers;
    const auto is_peer = [&](const auto& each) { return !each.owner_before(peer) && !peer.owner_before(each); };
    if (std::ranges::none_of(peers, is_peer)) {
        std::erase_if(peers, [](const auto& each) { return each.expired(); });
        peers.push_back(peer);
    }
    return static_cast<std::size_t>(std::ranges::count_if(peers, [](const auto& each) { return !each.expired(); }));
}

bool EncodedParts::is_empty() const {
    const std::lock_guard lock(mutex_);
    return kept_.empty();
}

std::optional<EncodedParts::Key> EncodedParts::key_of(const ArrayView& elements, const Offer& offer,
                                                      const codecs::Bound& bound) {
    const std::string said = fmt::format("{} {} {:a} {:a} {}", static_cast<int>(bound.kind), offer.fill.has_value(),
                                         bound.value, offer.fill.value_or(0.0), offer.codec);
    return transform::fingerprint(elements, said);
}

std::shared_ptr<const EncodedParts::Encoded> EncodedParts::take(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(key);
    if (found == kept_.end()) {
        return nullptr;
    }
    auto encoded = found->second.encoded;
    if (--found->second.left == 0) {
        drop(found);
    }
    return encoded;
}

void EncodedParts::keep(const Key& key, Encoded encoded, std::size_t times) {
    const std::lock_guard lock(mutex_);
    if (times == 0 || kept_.contains(key)) {
        return;
    }
    bytes_ += std::ssize(encoded.payload);
    const auto newest = in_order_.insert(in_order_.end(), key);
    kept_.emplace(key, Kept{std::make_shared<const Encoded>(std::move(encoded)), times, newest});
    while (bytes_ > most_bytes_) {
        drop(kept_.find(in_order_.front()));
    }
}

void EncodedParts::drop(std::map<Key, Kept>::iterator kept) {
    bytes_ -= std::ssize(kept->second.encoded->payload);
    in_order_.erase(kept->second.in_order);
    kept_.erase(kept);
}

}  // namespace staithe::store::remote
