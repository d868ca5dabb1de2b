#include "store/decoding_source.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "store/parts.hpp"
#include "store/reducing/reduce_blocks.hpp"
#include "store/touched_bytes.hpp"
#include "transform/coding.hpp"
#include "transform/helpers.hpp"

namespace staithe::store {
namespace {

bool is_encoded(const BlockRef& ref) { return ref.encoding != Encoding::raw; }

bool are_raw(std::span<const BlockRef> refs, std::span<const Piece> pieces) {
    return std::ranges::none_of(pieces, [&](const Piece& piece) { return is_encoded(refs[piece.block]); });
}

struct Kinds {
    std::vector<Piece> raw;
    std::vector<Piece> encoded;
};
Kinds by_kind(std::span<const BlockRef> refs, std::span<const Piece> pieces) {
    Kinds kinds;
    for (const Piece& piece : pieces) {
        (is_encoded(refs[piece.block]) ? kinds.encoded : kinds.raw).push_back(piece);
    }
    return kinds;
}

/// Of what is stored, fetched at once: enough for any way, and little beside what is made of it. A block may have more.
constexpr std::int64_t most_stored_at_once = std::int64_t{64} << 20;
/// Where the budget of this process has no room for that.
constexpr std::int64_t least_stored_at_once = std::int64_t{1} << 20;

std::int64_t stored_at_once() {
    return base::has_room(base::Resource::memory, most_stored_at_once) ? most_stored_at_once : least_stored_at_once;
}

}  // namespace

/// What is stored of it is here.
class DecodingSource::OneBlock final : public BlockSource {
  public:
    OneBlock(const DecodingSource& decoding, const StoredBytes& stored) : decoding_(decoding), stored_(stored) {}

    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override {
        for (const Piece& piece : pieces) {
            if (auto decoded = decoding_.decode(refs[piece.block], piece, stored_, destination); !decoded) {
                return decoded;
            }
        }
        return {};
    }

  private:
    const DecodingSource& decoding_;
    const StoredBytes& stored_;
};

/// What is ordered of encoded blocks comes first: they are decoded once the others have come, too.
class DecodingSource::Decoded final : public Order {
  public:
    Decoded(DecodingSource& decoding, std::span<const BlockRef> refs, std::span<const Piece> pieces,
            const MutableArrayView& destination)
        : decoding_(decoding), refs_(refs), destination_(destination) {
        auto [raw, encoded] = by_kind(refs, pieces);
        raw_pieces_ = std::move(raw);
        encoded_ = std::move(encoded);
    }

    /// False if something is wrong with them, too, which is told to who fetches them. Raw ones of which nothing can be
    /// ordered are fetched when they are awaited: to give up what was ordered would cost a connection, too.
    bool ask() {
        for (const Piece& piece : encoded_) {
            const BlockRef& ref = refs_[piece.block];
            const auto here = decoding_.shown(ref, piece);
            if (!here || *here || touched_.bytes_with(piece, ref) > most_stored_at_once) {
                return false;
            }
            touched_.add(piece, ref);
        }
        if (!touched_.order(*decoding_.stored_)) {
            return false;
        }
        raw_ = raw_pieces_.empty() ? nullptr : decoding_.stored_->order(refs_, raw_pieces_, destination_);
        return true;
    }
    base::Result<> await(base::FunctionRef<void()> meanwhile) override {
        auto come = touched_.await(*decoding_.stored_, meanwhile);
        if (come && !raw_pieces_.empty()) {
            come = raw_ ? raw_->await(meanwhile) : decoding_.stored_->fetch(refs_, raw_pieces_, destination_);
        }
        return come ? touched_.use([&](const Piece& piece, const StoredBytes& stored) {
            return decoding_.decode(refs_[piece.block], piece, stored, destination_);
        })
                    : come;
    }

  private:
    DecodingSource& decoding_;
    const std::span<const BlockRef> refs_;
    std::vector<Piece> raw_pieces_, encoded_;
    const MutableArrayView destination_;
    TouchedBytes touched_;
    std::unique_ptr<Order> raw_;  // null: none, or not ordered
};

base::Result<> DecodingSource::decode(const BlockRef& ref, const Piece& piece, const StoredBytes& stored,
                                      const MutableArrayView& destination) const {
    const BlockDescription& block = *piece.description;
    auto decoded = fetch_by_box(piece, destination, [&](const Box& box, const MutableArrayView& elements) {
        return ref.encoding == Encoding::parts
                   ? decode_parts(block, stored, box, elements)
                   : decode_payload(block, stored, {block.box.count, 0, stored.all()}, box, elements);
    });
    if (decoded) {
        return decoded;
    }
    const base::Failure& failure = decoded.error();
    return failure.code == ErrorCode::protocol ? tl::unexpected(unusable(ref, block, failure.message))
                                               : base::fail(failure.code, "'{}': {}", block.variable, failure.message);
}

/// A box of what a payload has, if it is one of elements of the block in that shape.
base::Result<> DecodingSource::decode_payload(const BlockDescription& block, const StoredBytes& stored,
                                              const Payload& where, const Box& box,
                                              const MutableArrayView& elements) const {
    const auto payload = stored.at(where.first, where.bytes);
    const auto holds = payload ? transform::inspect(*payload) : base::fail(payload);
    if (!holds) {
        return base::fail(holds);
    }
    if (holds->dtype != block.dtype || holds->shape != where.shape) {
        return base::fail(ErrorCode::protocol, "what is stored is {} {}", name_of(holds->dtype),
                          to_string(holds->shape));
    }
    if (auto checked = check_ ? check_(block, holds->bound) : base::Result<>(); !checked) {
        return checked;
    }
    return stored.may_change() ? transform::decode_shared(*payload, elements, box, transform::background_threads)
                               : transform::decode(*payload, elements, box, transform::background_threads);
}

base::Result<> DecodingSource::decode_parts(const BlockDescription& block, const StoredBytes& stored, const Box& box,
                                            const MutableArrayView& elements) const {
    const auto parts = read_parts(stored.front(), stored.all(), block);
    if (!parts) {
        return base::fail(parts);
    }
    const Selection wanted(as_it_lies(block, box));
    const MutableArrayView to = as_it_lies(block, elements);
    for (const Part& part : *parts) {
        const auto common = array::overlap(part.box, wanted);
        if (!common) {
            continue;
        }
        if (part.is_payload) {
            auto decoded = decode_payload(block, stored, {part.box.count, part.place, part.bytes},
                                          bounding_box(common->source), slice(to, Selection(common->destination)));
            if (!decoded) {
                return decoded;
            }
            continue;
        }
        const auto bytes = stored.at(part.place, part.bytes);
        if (!bytes) {
            return base::fail(bytes);
        }
        array::copy(*common, to, ArrayView::row_major(bytes->data(), block.dtype, part.box.count));
    }
    return {};
}

base::Result<std::optional<ArrayView>> DecodingSource::view(const BlockRef& ref, const BlockDescription& block) {
    if (is_encoded(ref)) {
        return std::nullopt;
    }
    return stored_->view(ref, block);
}

base::Result<> DecodingSource::fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                     const MutableArrayView& destination) {
    if (are_raw(refs, pieces)) {
        return stored_->fetch(refs, pieces, destination);
    }
    const Kinds kinds = by_kind(refs, pieces);
    auto fetched = kinds.raw.empty() ? base::Result<>() : stored_->fetch(refs, kinds.raw, destination);
    if (!fetched) {
        return fetched;
    }
    return use_stored(refs, kinds.encoded, [&](const Piece& piece, const StoredBytes& stored) {
        return decode(refs[piece.block], piece, stored, destination);
    });
}

base::Result<> DecodingSource::reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                      reducing::Reduction& into) {
    if (are_raw(refs, pieces)) {
        return stored_->reduce(refs, pieces, into);
    }
    const Kinds kinds = by_kind(refs, pieces);
    auto reduced = kinds.raw.empty() ? base::Result<>() : stored_->reduce(refs, kinds.raw, into);
    if (!reduced) {
        return reduced;
    }
    return use_stored(refs, kinds.encoded, [&](const Piece& piece, const StoredBytes& stored) {
        OneBlock block(*this, stored);
        return reducing::reduce_blocks(block, refs, {&piece, 1}, into);
    });
}

Evaluator* DecodingSource::evaluator(const BlockRef& ref) {
    return is_encoded(ref) ? nullptr : stored_->evaluator(ref);
}

std::unique_ptr<Order> DecodingSource::order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                             const MutableArrayView& destination) {
    if (are_raw(refs, pieces)) {
        return stored_->order(refs, pieces, destination);
    }
    auto order = std::make_unique<Decoded>(*this, refs, pieces, destination);
    return order->ask() ? std::move(order) : nullptr;
}

/// Nothing where its source has no memory to show of it.
base::Result<std::optional<StoredBytes>> DecodingSource::shown(const BlockRef& ref, const Piece& piece) {
    const Encoding encoding = ref.encoding == Encoding::parts ? Encoding::parts : Encoding::payload;
    if (auto checked = check(ref, *piece.description, encoding); !checked) {
        return base::fail(std::move(checked));
    }
    BlockRef stored = ref;
    stored.encoding = Encoding::raw;
    const auto there = stored_->view(stored, as_bytes(piece.description->variable, ref.bytes));
    if (!there || !*there) {
        return there ? base::Result<std::optional<StoredBytes>>(std::nullopt) : base::fail(there);
    }
    return StoredBytes::shown({static_cast<const std::byte*>((*there)->data), static_cast<std::size_t>(ref.bytes)});
}

base::Result<> DecodingSource::use_stored(std::span<const BlockRef> refs, std::span<const Piece> pieces, Use use) {
    std::optional<TouchedBytes> touched;
    const auto use_touched = [&]() -> base::Result<> {
        auto used = touched ? touched->fetch(*stored_) : base::Result<>();
        used = used && touched ? touched->use(use) : used;
        touched.reset();
        return used;
    };
    const std::int64_t most = stored_at_once();
    for (const Piece& piece : pieces) {
        const auto here = shown(refs[piece.block], piece);
        if (!here) {
            return base::fail(here);
        }
        auto used = *here ? use(piece, **here) : base::Result<>();
        if (used && !*here) {
            if (touched && touched->bytes_with(piece, refs[piece.block]) > most) {
                used = use_touched();
            }
            (touched ? *touched : touched.emplace()).add(piece, refs[piece.block]);
        }
        if (!used) {
            return used;
        }
    }
    return use_touched();
}

}  // namespace staithe::store
