// Blocks that lie here, reduced for programs of other hosts: in a thread of its own, without the mutex. What a program
// has found stays until it is released; if it goes meanwhile, nobody wants the result.
#include <map>
#include <utility>

#include "server/reception.hpp"
#include "space/served/messages_reduce.hpp"
#include "store/pool_source.hpp"
#include "store/reducing/reduce_blocks.hpp"
#include "store/store_set.hpp"

namespace staithe::server {
namespace {

/// Some of the stores of a server, by their numbers.
class StoresToReduce final : public store::BlockSource {
  public:
    void add(std::uint32_t store, std::shared_ptr<store::BlockSource> source) {
        stores_.emplace(store, std::move(source));
    }
    [[nodiscard]] bool has(std::uint32_t store) const { return stores_.contains(store); }
    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override {
        return stores_.at(ref.store)->view(ref, block);
    }
    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override {
        return store::by_source(
            refs, pieces,
            [this](const auto& ref, const auto& /*block*/) {
                return base::Result<store::BlockSource*>(stores_.at(ref.store).get());
            },
            [&](auto& source, const auto& of_it) { return source.fetch(refs, of_it, destination); });
    }

  private:
    std::map<std::uint32_t, std::shared_ptr<store::BlockSource>> stores_;
};

}  // namespace

Reception::Answer Reception::reduce(const Request& request) {
    auto decoded = space::decode_to_reduce(request.body);
    if (!decoded) {
        return base::fail(std::move(decoded));
    }
    const auto stores = std::make_shared<StoresToReduce>();
    for (const store::BlockRef& ref : decoded->refs) {
        auto pool = stores->has(ref.store) ? std::nullopt : stores_.for_peers(ref.store);
        if (pool) {
            stores->add(ref.store, store::source_of(*std::move(pool)));
        } else if (!stores->has(ref.store)) {
            return base::fail(ErrorCode::protocol, "server '{}' has no such store any more", server_);
        }
    }
    transport::Errands& reductions = reductions_[next_reduction_++ % reductions_.size()];
    const auto added = reductions.add([stores, link = request.client.link, id = request.id,
                                       wanted = std::make_shared<space::ToReduce>(*std::move(decoded))] {
        const auto reduced = store::reducing::reduce_blocks(*stores, wanted->refs, wanted->pieces, wanted->reduction);
        reply(*link, id,
              reduced ? base::Result<Reply>(Reply{{{"parts", space::encode(wanted->reduction.parts())}}})
                      : base::fail(reduced));
    });
    return added ? Answer(std::nullopt) : base::fail(added);
}

}  // namespace staithe::server
