#include "store/remote/reducing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace staithe::store::remote {
namespace {

/// Of what a part becomes: little against the several MiB that it is made of.
constexpr std::int64_t most_reduced_bytes = 256 << 10;

bool goes_to_one_place(const MutableArrayView& destination, std::size_t dimension) {
    return destination.strides[dimension] == 0;
}

/// Without the dimensions that are reduced.
MutableArrayView places_of(const Transfer& transfer) {
    MutableArrayView places{transfer.destination.data, transfer.destination.dtype, {}, {}};
    for (std::size_t i = 0; i < transfer.destination.shape.size(); ++i) {
        if (!goes_to_one_place(transfer.destination, i)) {
            places.shape.push_back(transfer.destination.shape[i]);
            places.strides.push_back(transfer.destination.strides[i]);
        }
    }
    return places;
}

std::int64_t places_in(const Transfer& transfer) { return volume(places_of(transfer).shape).value(); }

std::shared_ptr<const Offer> offer_to_reduce(const Transfer& transfer, const reducing::Recipe& recipe) {
    Offer offer = transfer.offer ? *transfer.offer
                                 : Offer{.variable = transfer.piece->description->variable, .dtype = transfer.stored};
    offer.reduced = {recipe, 0};
    for (std::size_t i = 0; i < transfer.destination.shape.size(); ++i) {
        if (goes_to_one_place(transfer.destination, i)) {
            offer.reduced->loops = static_cast<std::uint8_t>(offer.reduced->loops | 1U << i);
        }
    }
    return std::make_shared<const Offer>(std::move(offer));
}

/// Cut first where parts have places of their own: those of one place each send it.
void append_parts(std::vector<Transfer>& transfers, Transfer transfer) {
    const Extents& shape = transfer.destination.shape;
    const std::int64_t bytes = reduced_bytes(transfer);
    std::size_t along = 0;
    while (along < shape.size() && (goes_to_one_place(transfer.destination, along) || shape[along] == 1)) {
        ++along;
    }
    if (along == shape.size() || bytes <= most_reduced_bytes) {
        append_in_units(transfers, std::move(transfer), 1);
        return;
    }
    const std::int64_t count = std::max<std::int64_t>(most_reduced_bytes / (bytes / shape[along]), 1);
    while (shape[along] > count) {
        auto [part, rest] = transfer.cut(along, count);
        append_parts(transfers, std::move(part));
        transfer = std::move(rest);
    }
    append_parts(transfers, std::move(transfer));
}

}  // namespace

base::Result<std::optional<std::vector<std::byte>>> reduce(const Offer& offer, const PartToCode& part) {
    const ArrayView elements = elements_of(part, offer.dtype);
    if (part.runs.bytes() > most_coded_bytes) {
        return base::fail(ErrorCode::invalid_argument, "{} bytes are more than are reduced at once", part.runs.bytes());
    }
    std::vector<std::int64_t> axes;
    std::int64_t bytes = bytes_of_state(offer.reduced->recipe, offer.dtype);
    for (int loop = 0; loop < std::numeric_limits<std::uint8_t>::digits; ++loop) {
        const auto dimension = static_cast<std::size_t>(loop);
        if ((offer.reduced->loops >> loop & 1) != 0) {
            axes.push_back(loop);
        } else if (dimension < elements.dimensions()) {
            bytes *= elements.shape[dimension];
        }
    }
    if (bytes > most_coded_bytes) {
        return base::fail(ErrorCode::invalid_argument, "{} bytes are more than are sent at once", bytes);
    }
    const Box whole = Box::whole(elements.shape);
    auto reduction = reducing::Reduction::make(offer.reduced->recipe, offer.dtype, whole, axes);
    if (!reduction) {
        return base::fail(std::move(reduction));
    }
    reduction->add(whole, elements);
    const auto parts = reduction->parts();
    return std::vector<std::byte>(parts.begin(), parts.end());
}

bool is_less_reduced(const Piece& piece, reducing::Reduction& into) {
    const Transfer transfer = Transfer::of(piece, {}, into.states());
    return bytes_reduced(transfer, into.recipe()) < transfer.bytes();
}

std::int64_t bytes_reduced(const Transfer& transfer, const reducing::Recipe& recipe) {
    return places_in(transfer) * bytes_of_state(recipe, transfer.stored);
}

void append_to_reduce(std::vector<Transfer>& transfers, Transfer transfer, const reducing::Recipe& recipe) {
    transfer.offer = offer_to_reduce(transfer, recipe);
    append_parts(transfers, std::move(transfer));
}

std::int64_t reduced_bytes(const Transfer& transfer) {
    return bytes_reduced(transfer, transfer.offer->reduced->recipe);
}

void merge_reduced(const Transfer& transfer, std::span<const std::byte> reduced) {
    merge(transfer.offer->reduced->recipe, transfer.stored, places_of(transfer), reduced.data());
}

}  // namespace staithe::store::remote
