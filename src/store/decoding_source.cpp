#include "store/decoding_source.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "store/parts.hpp"
#include "store/reducing/reduce_blocks.hpp"
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

/// Elements are copied from where they are fetched to.
std::int64_t behind(std::int64_t bytes) {
    constexpr std::int64_t alignment = 16;
    return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

/// What is stored of the block of a piece, as a block of bytes.
struct DecodingSource::Stored {
    static Stored of(const BlockRef& ref, const Piece& piece) {
        Stored stored{&piece, ref, {}, 0};
        stored.ref.encoding = Encoding::raw;
        stored.bytes.variable = piece.description->variable;
        stored.bytes.shape = {ref.bytes};
        stored.bytes.box = Box::whole(stored.bytes.shape);
        stored.bytes.is_stored = true;
        return stored;
    }

    const Piece* piece = nullptr;
    BlockRef ref;
    BlockDescription bytes;
    std::int64_t place = 0;  // among all that are fetched at once
};

/// What is stored of it is here.
class DecodingSource::OneBlock final : public BlockSource {
  public:
    OneBlock(const DecodingSource& decoding, std::span<const std::byte> stored)
        : decoding_(decoding), stored_(stored) {}

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
    const std::span<const std::byte> stored_;
};

base::Result<> DecodingSource::decode(const BlockRef& ref, const Piece& piece, std::span<const std::byte> stored,
                                      const MutableArrayView& destination) const {
    const BlockDescription& block = *piece.description;
    auto decoded = ref.encoding == Encoding::parts
                       ? decode_parts(piece, stored, destination)
                       : fetch_by_box(piece, destination, [&](const Box& box, const auto& elements) {
                             return decode_payload(block, stored, block.box.count, box, elements);
                         });
    if (decoded) {
        return decoded;
    }
    const base::Failure& failure = decoded.error();
    return failure.code == ErrorCode::protocol ? tl::unexpected(unusable(ref, block, failure.message))
                                               : base::fail(failure.code, "'{}': {}", block.variable, failure.message);
}

/// A box of what a payload has, if it is one of elements of the block in that shape.
base::Result<> DecodingSource::decode_payload(const BlockDescription& block, std::span<const std::byte> payload,
                                              const Extents& shape, const Box& box,
                                              const MutableArrayView& elements) const {
    const auto holds = transform::inspect(payload);
    if (!holds) {
        return base::fail(holds);
    }
    if (holds->dtype != block.dtype || holds->shape != shape) {
        return base::fail(ErrorCode::protocol, "what is stored is {} {}", name_of(holds->dtype),
                          to_string(holds->shape));
    }
    if (auto checked = check_ ? check_(block, holds->bound) : base::Result<>(); !checked) {
        return checked;
    }
    return transform::decode(payload, elements, box, transform::background_threads);
}

base::Result<> DecodingSource::decode_parts(const Piece& piece, std::span<const std::byte> stored,
                                            const MutableArrayView& destination) const {
    const BlockDescription& block = *piece.description;
    const auto parts = read_parts(stored, block);
    if (!parts) {
        return base::fail(parts);
    }
    return fetch_by_box(piece, destination, [&](const Box& box, const MutableArrayView& elements) -> base::Result<> {
        const auto [wanted, to] = as_it_lies(block, box, elements);
        for (const Part& part : *parts) {
            const auto common = array::overlap(part.box, Selection(wanted));
            if (!common) {
                continue;
            }
            const auto bytes =
                stored.subspan(static_cast<std::size_t>(part.place), static_cast<std::size_t>(part.bytes));
            if (part.is_payload) {
                auto decoded = decode_payload(block, bytes, part.box.count, bounding_box(common->source),
                                              slice(to, Selection(common->destination)));
                if (!decoded) {
                    return decoded;
                }
            } else {
                array::copy(*common, to, ArrayView::row_major(bytes.data(), block.dtype, part.box.count));
            }
        }
        return {};
    });
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
    return use_stored(refs, kinds.encoded, [&](const Piece& piece, std::span<const std::byte> stored) {
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
    return use_stored(refs, kinds.encoded, [&](const Piece& piece, std::span<const std::byte> stored) {
        OneBlock block(*this, stored);
        return reducing::reduce_blocks(block, refs, {&piece, 1}, into);
    });
}

std::unique_ptr<Order> DecodingSource::order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                             const MutableArrayView& destination) {
    return are_raw(refs, pieces) ? stored_->order(refs, pieces, destination) : nullptr;
}

base::Result<> DecodingSource::use_stored(std::span<const BlockRef> refs, std::span<const Piece> pieces, Use use) {
    std::vector<Stored> fetched;
    std::int64_t bytes = 0;
    for (const Piece& piece : pieces) {
        const BlockRef& ref = refs[piece.block];
        const Encoding encoding = ref.encoding == Encoding::parts ? Encoding::parts : Encoding::payload;
        if (auto checked = check(ref, *piece.description, encoding); !checked) {
            return checked;
        }
        Stored stored = Stored::of(ref, piece);
        const auto shown = stored_->view(stored.ref, stored.bytes);
        if (!shown) {
            return base::fail(shown);
        }
        if (*shown) {
            const std::span there(static_cast<const std::byte*>((*shown)->data), static_cast<std::size_t>(ref.bytes));
            if (auto used = use(piece, there); !used) {
                return used;
            }
            continue;
        }
        if (!fetched.empty() && ref.bytes > most_stored_at_once - bytes) {
            if (auto used = use_fetched(fetched, use); !used) {
                return used;
            }
            fetched.clear();
            bytes = 0;
        }
        stored.place = behind(bytes);
        bytes = stored.place + ref.bytes;
        fetched.push_back(std::move(stored));
    }
    return fetched.empty() ? base::Result<>() : use_fetched(fetched, use);
}

/// They are fetched at once, to one array of bytes.
base::Result<> DecodingSource::use_fetched(const std::vector<Stored>& all, Use use) {
    std::vector<BlockRef> refs;
    std::vector<Piece> whole;
    for (const Stored& stored : all) {
        const Extents count{stored.ref.bytes};
        whole.push_back({refs.size(), &stored.bytes, {{{stored.place}, count}, Selection::all(count)}});
        refs.push_back(stored.ref);
    }
    const std::int64_t bytes = all.back().place + all.back().ref.bytes;
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    auto done = stored_->fetch(refs, whole, MutableArrayView::row_major(memory.get(), Dtype::u8, {bytes}));
    for (auto stored = all.begin(); done && stored != all.end(); ++stored) {
        done = use(*stored->piece, {memory.get() + stored->place, static_cast<std::size_t>(stored->ref.bytes)});
    }
    return done;
}

}  // namespace staithe::store
