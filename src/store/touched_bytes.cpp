#include "store/touched_bytes.hpp"

#include <algorithm>

#include "base/rounding.hpp"
#include "store/parts.hpp"

namespace staithe::store {
namespace {

/// Less is not worth asking twice.
constexpr std::int64_t least_asked_twice = 64 << 10;
/// The head of some hundred parts.
constexpr std::int64_t first_of_head = 4 << 10;
/// What lies between two ranges costs less than another request.
constexpr std::int64_t widest_gap = 4 << 10;
/// Elements are copied from where they are fetched to.
constexpr std::int64_t range_alignment = 16;

bool comes_whole(const Piece& piece, const BlockRef& ref) {
    return ref.encoding != Encoding::parts || ref.bytes <= least_asked_twice ||
           bounding_box(piece.overlap.source).count == piece.description->box.count;
}

}  // namespace

StoredBytes StoredBytes::shown(std::span<const std::byte> bytes) {
    StoredBytes stored(std::ssize(bytes));
    stored.may_change_ = true;
    stored.add(0, bytes);
    return stored;
}

base::Result<std::span<const std::byte>> StoredBytes::at(std::int64_t first, std::int64_t bytes) const {
    for (const auto& [begin, here] : here_) {
        if (first >= begin && bytes <= std::ssize(here) - (first - begin)) {
            return here.subspan(static_cast<std::size_t>(first - begin), static_cast<std::size_t>(bytes));
        }
    }
    return base::fail(ErrorCode::protocol, "what is stored of it is not what was said");
}

std::span<const std::byte> StoredBytes::front() const {
    std::span<const std::byte> longest;
    for (const auto& [begin, here] : here_) {
        longest = begin == 0 && here.size() > longest.size() ? here : longest;
    }
    return longest;
}

void TouchedBytes::Round::add(std::size_t of, std::int64_t first, std::int64_t count) {
    if (!ranges.empty() && ranges.back().of == of) {
        Range& last = ranges.back();
        const std::int64_t gap = first - (last.first + last.bytes);
        if (gap >= 0 && gap <= widest_gap) {
            last.bytes += gap + count;
            bytes = last.place + last.bytes;
            return;
        }
    }
    const std::int64_t place = base::round_up(bytes, range_alignment);
    ranges.push_back({of, first, count, place});
    bytes = place + count;
}

void TouchedBytes::Round::put_together(std::span<const Wanted> wanted) {
    for (const Range& range : ranges) {
        const Extents count{range.bytes};
        Selection source = Selection::all(count);
        source[0].start = range.first;
        pieces.push_back({refs.size(), &wanted[range.of].bytes, {{{range.place}, count}, source}});
        refs.push_back(wanted[range.of].ref);
    }
    memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

MutableArrayView TouchedBytes::Round::destination() const {
    return MutableArrayView::row_major(memory.get(), Dtype::u8, {bytes});
}

std::int64_t TouchedBytes::about(const Piece& piece, const BlockRef& ref) {
    if (comes_whole(piece, ref)) {
        return ref.bytes;
    }
    const auto elements = [](const Extents& count) {
        return static_cast<double>(std::max<std::int64_t>(volume(count).value_or(1), 1));
    };
    const double share = elements(bounding_box(piece.overlap.source).count) / elements(piece.description->box.count);
    return first_of_head + static_cast<std::int64_t>(static_cast<double>(ref.bytes) * share);
}

void TouchedBytes::add(const Piece& piece, const BlockRef& ref) {
    bytes_ += about(piece, ref);
    Wanted& wanted = wanted_.emplace_back(&piece, ref, as_bytes(piece.description->variable, ref.bytes),
                                          comes_whole(piece, ref), StoredBytes(ref.bytes));
    wanted.ref.encoding = Encoding::raw;
}

TouchedBytes::Round TouchedBytes::first_round() const {
    Round round;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
        round.add(i, 0, wanted_[i].is_whole ? wanted_[i].ref.bytes : first_of_head);
    }
    return round;
}

base::Result<> TouchedBytes::fetch(BlockSource& source) {
    auto fetched = fetch_round(source, first_round());
    return fetched ? fetch_rest(source) : fetched;
}

bool TouchedBytes::order(BlockSource& source) {
    ordered_ = first_round();
    auto claim = base::claim(base::Resource::prefetch, ordered_.bytes, "fetch ahead");
    if (!claim) {
        return false;
    }
    ordered_.claim = *std::move(claim);
    ordered_.put_together(wanted_);
    order_ = source.order(ordered_.refs, ordered_.pieces, ordered_.destination());
    return order_ != nullptr;
}

base::Result<> TouchedBytes::await(BlockSource& source, base::FunctionRef<void()> meanwhile) {
    auto come = order_->await(meanwhile);
    order_ = nullptr;
    if (!come) {
        return come;
    }
    take(std::move(ordered_));
    return fetch_rest(source);
}

/// Of blocks whose heads have begun to come.
base::Result<> TouchedBytes::fetch_rest(BlockSource& source) {
    Round heads, parts;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
        const auto begun = wanted_[i].here.front();
        const auto head =
            wanted_[i].is_whole ? 0 : bytes_of_head(begun, wanted_[i].ref.bytes, *wanted_[i].piece->description);
        if (head > std::ssize(begun)) {
            heads.add(i, 0, head);
        }
    }
    if (auto fetched = fetch_round(source, std::move(heads)); !fetched) {
        return fetched;
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
        if (auto found = wanted_[i].is_whole ? base::Result<>() : find_parts(i, parts); !found) {
            return found;
        }
    }
    return fetch_round(source, std::move(parts));
}

/// Those that its piece touches.
base::Result<> TouchedBytes::find_parts(std::size_t of, Round& round) const {
    const auto& [piece, ref, bytes, is_whole, here] = wanted_[of];
    const BlockDescription& block = *piece->description;
    const auto parts = read_parts(here.front(), ref.bytes, block);
    if (!parts) {
        return tl::unexpected(unusable(ref, block, parts.error().message));
    }
    const Selection box(as_it_lies(block, bounding_box(piece->overlap.source)));
    for (const Part& part : *parts) {
        if (array::overlap(part.box, box)) {
            round.add(of, part.place, part.bytes);
        }
    }
    return {};
}

base::Result<> TouchedBytes::fetch_round(BlockSource& source, Round round) {
    if (round.ranges.empty()) {
        return {};
    }
    round.put_together(wanted_);
    round.claim = base::Claim(base::Resource::memory, round.bytes);
    auto fetched = source.fetch(round.refs, round.pieces, round.destination());
    if (fetched) {
        take(std::move(round));
    }
    return fetched;
}

void TouchedBytes::take(Round round) {
    for (const Range& range : round.ranges) {
        wanted_[range.of].here.add(range.first,
                                   {round.memory.get() + range.place, static_cast<std::size_t>(range.bytes)});
    }
    rounds_.push_back(std::move(round));
}

base::Result<> TouchedBytes::use(
    base::FunctionRef<base::Result<>(const Piece& piece, const StoredBytes& stored)> use) const {
    for (const Wanted& wanted : wanted_) {
        if (auto used = use(*wanted.piece, wanted.here); !used) {
            return used;
        }
    }
    return {};
}

}  // namespace staithe::store
