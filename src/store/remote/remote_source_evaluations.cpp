// What owners compute of their blocks.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "store/remote/evaluating.hpp"
#include "store/remote/reducing.hpp"
#include "store/remote/remote_source.hpp"
#include "transform/codec.hpp"

namespace staithe::store::remote {
namespace {

/// What is read as it is may be fetched ahead, while a program computes; what is made of it must be this much less.
constexpr std::int64_t worth_a_share = 2;

std::byte* place_in(const MutableArrayView& whole, const void* begins, void* part) {
    return static_cast<std::byte*>(whole.data) +
           (static_cast<std::byte*>(part) - static_cast<const std::byte*>(begins));
}

/// Of each one operand: all of them have the same owner.
std::vector<Piece> first_operands(std::span<const Evaluated> pieces) {
    std::vector<Piece> operands;
    std::ranges::transform(pieces, std::back_inserter(operands),
                           [](const Evaluated& each) { return each.operands.front().piece; });
    return operands;
}

}  // namespace

bool RemoteSource::is_worth(std::span<const BlockRef> refs, const Evaluated& piece,
                            const reducing::Recipe* recipe) const {
    if (piece.operands.size() > most_operands || piece.formula->text.size() > longest_formula) {
        return false;
    }
    std::optional<std::size_t> owner;
    std::int64_t bytes = 0;
    for (const auto& [operand, along] : piece.operands) {
        const BlockDescription& block = *operand.description;
        const auto its_owner = owner_holding(refs[operand.block], block);
        if (!its_owner || owner.value_or(*its_owner) != *its_owner) {
            return false;
        }
        owner = *its_owner;
        bytes += size_in_bytes(shape_of(operand.overlap.source), block.dtype).value_or(0);
        // What may be off comes in few bytes, and what is computed of it would have to be exact.
        const auto allowed = recipe == nullptr && options_.allowed ? options_.allowed(block) : std::nullopt;
        if (allowed && allowed->bound.kind != codecs::Bound::Kind::exact) {
            return false;
        }
    }
    const Transfer transfer = transfer_of(piece, refs, piece.to.data);
    return recipe != nullptr ? bytes_reduced(transfer, *recipe) < bytes : transfer.bytes() <= bytes / worth_a_share;
}

std::shared_ptr<const Offer> RemoteSource::offer_of(const Formula& formula, const Transfer& transfer) const {
    Offer offer{.variable = formula.name, .dtype = formula.dtype};
    offer.computed = {formula.text, formula.operands};
    offer.as_is = !can_be_coded(transfer);
    if (!offer.as_is) {
        offer.variants = transform::loaded_codecs();
    }
    return std::make_shared<const Offer>(std::move(offer));
}

/// What is alike has the same offer: it is asked for at once.
class RemoteSource::FormulaOffers {
  public:
    explicit FormulaOffers(const RemoteSource& source) : source_(source) {}

    Transfer transfer_of(const Evaluated& piece, std::span<const BlockRef> refs, void* to) {
        Transfer transfer = remote::transfer_of(piece, refs, to);
        auto& offer = offers_[{piece.formula.get(), source_.can_be_coded(transfer)}];
        offer = offer ? offer : source_.offer_of(*piece.formula, transfer);
        transfer.offer = offer;
        return transfer;
    }

  private:
    const RemoteSource& source_;
    std::map<std::pair<const Formula*, bool>, std::shared_ptr<const Offer>> offers_;
};

base::Result<> RemoteSource::evaluate(std::span<const BlockRef> refs, std::span<const Evaluated> pieces) {
    return again_if_closed(refs, first_operands(pieces), [&] {
        WantedOf wanted(owners_.size());
        FormulaOffers offers(*this);
        for (const Evaluated& piece : pieces) {
            Transfer transfer = offers.transfer_of(piece, refs, piece.to.data);
            const std::size_t owner = *owner_of(transfer.ref.store);
            append_in_units(wanted[owner], std::move(transfer));
        }
        return get(std::move(wanted));
    });
}

base::Result<> RemoteSource::reduce_evaluated(std::span<const BlockRef> refs, std::span<const Evaluated> pieces,
                                              reducing::Reduction& into) {
    const auto wanted_of = [&](reducing::Reduction& made) -> base::Result<WantedOf> {
        WantedOf wanted(owners_.size());
        FormulaOffers offers(*this);
        for (const Evaluated& piece : pieces) {
            void* const to = place_in(made.states(), into.states().data, piece.to.data);
            Transfer transfer = offers.transfer_of(piece, refs, to);
            const std::size_t owner = *owner_of(transfer.ref.store);
            append_to_reduce(wanted[owner], std::move(transfer), made.recipe());
        }
        return wanted;
    };
    return reduce_by_owners(refs, first_operands(pieces), into, wanted_of);
}

}  // namespace staithe::store::remote
