#include "space/served/messages_reduce.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/fields.hpp"

namespace staithe::space {
namespace {

base::Failure garbled_reduction() { return {ErrorCode::protocol, "a request to reduce blocks is garbled"}; }

void append(List& to, const Extents& numbers) { to.insert(to.end(), numbers.begin(), numbers.end()); }

/// Takes the numbers of a list one by one.
class Numbers {
  public:
    explicit Numbers(const List* list) : list_(list) {}
    /// From `least` on; else nothing is right any more.
    std::int64_t next(std::int64_t least = 0) {
        const auto number = list_ != nullptr && at_ < list_->size() ? (*list_)[at_].as_int() : std::nullopt;
        ++at_;
        is_right_ = is_right_ && number && *number >= least;
        return number.value_or(0);
    }
    Extents extents(std::size_t dimensions) {
        Extents extents = Extents::filled(dimensions, 0);
        std::ranges::generate(extents, [this] { return next(); });
        return extents;
    }
    [[nodiscard]] bool are_right() const { return is_right_; }
    [[nodiscard]] bool are_all() const { return is_right_ && list_ != nullptr && at_ == list_->size(); }

  private:
    const List* list_;
    std::size_t at_ = 0;
    bool is_right_ = true;
};

/// Of what the box becomes on the way, or more than there may be.
std::size_t bytes_of_states(const Box& box, const List& axes, std::int64_t bytes_of_state) {
    const auto goes = [&](std::size_t dimension) {
        return std::ranges::any_of(
            axes, [&](const Value& axis) { return std::cmp_equal(axis.as_int().value_or(-1), dimension); });
    };
    auto bytes = static_cast<std::size_t>(bytes_of_state);
    for (std::size_t i = 0; i < box.dimensions() && bytes <= most_reduced_bytes * 2; ++i) {
        bytes *= goes(i) ? 1 : static_cast<std::size_t>(std::min<std::int64_t>(box.count[i], most_reduced_bytes));
    }
    return bytes;
}

}  // namespace

Attributes encode(const store::reducing::Reduction& reduction, std::span<const store::BlockRef> refs,
                  std::span<const store::Piece> pieces) {
    List numbers, axes, box;
    for (const store::Piece& piece : pieces) {
        const store::BlockRef& ref = refs[piece.block];
        numbers.insert(numbers.end(), {ref.store, ref.offset, piece.description->column_major ? 1 : 0});
        append(numbers, piece.description->box.count);
        for (const Slice& slice : piece.overlap.source) {
            numbers.emplace_back(slice.start);
        }
        append(numbers, piece.overlap.destination.offset);
        append(numbers, piece.overlap.destination.count);
    }
    append(box, reduction.box().count);
    for (const std::int64_t axis : reduction.axes()) {
        axes.emplace_back(axis);
    }
    const Dtype dtype = pieces.empty() ? Dtype::u8 : pieces.front().description->dtype;
    return {{"how", to_string(reduction.recipe())},
            {"dtype", static_cast<std::int64_t>(dtype)},
            {"box", std::move(box)},
            {"axes", std::move(axes)},
            {"pieces", std::move(numbers)}};
}

base::Result<ToReduce> decode_to_reduce(const Attributes& body) {
    const auto how = base::text_field(body, "how");
    const auto code = base::integer_field(body, "dtype", 0, dtype_count - 1);
    const List* const counts = base::list_field(body, "box");
    const List* const axes = base::list_field(body, "axes");
    const List* const pieces = base::list_field(body, "pieces");
    if (!how || !code || counts == nullptr || counts->size() > max_dimensions || axes == nullptr ||
        axes->size() > max_dimensions || pieces == nullptr) {
        return tl::unexpected(garbled_reduction());
    }
    const std::size_t dimensions = counts->size();
    Numbers of_box(counts);
    const Box box = Box::whole(of_box.extents(dimensions));
    const auto dtype = static_cast<Dtype>(*code);
    const auto recipe = store::reducing::parse_recipe(*how);
    if (!recipe || !of_box.are_all() || !volume(box.count) ||
        bytes_of_states(box, *axes, bytes_of_state(*recipe, dtype)) > most_reduced_bytes) {
        return recipe ? tl::unexpected(garbled_reduction()) : base::fail(recipe);
    }
    std::vector<std::int64_t> dimensions_that_go;
    std::ranges::transform(*axes, std::back_inserter(dimensions_that_go),
                           [](const Value& axis) { return axis.as_int().value_or(INT64_MAX); });
    auto reduction = store::reducing::Reduction::make(*recipe, dtype, box, dimensions_that_go);
    const std::size_t numbers_of_each = 3 + 4 * dimensions;
    const std::size_t count = pieces->size() / numbers_of_each;
    if (!reduction || count > most_pieces_at_once) {
        return reduction ? tl::unexpected(garbled_reduction()) : base::fail(std::move(reduction));
    }
    ToReduce wanted{*std::move(reduction)};
    wanted.descriptions.reserve(count);
    Numbers numbers(pieces);
    for (std::size_t i = 0; i < count; ++i) {
        store::BlockRef& ref = wanted.refs.emplace_back();
        ref.store = static_cast<std::uint32_t>(std::min<std::int64_t>(numbers.next(), UINT32_MAX));
        ref.offset = numbers.next();
        store::BlockDescription& block = wanted.descriptions.emplace_back();
        block.dtype = dtype;
        block.column_major = numbers.next() == 1;
        block.shape = numbers.extents(dimensions);
        block.box = Box::whole(block.shape);
        const Extents start = numbers.extents(dimensions);
        Box to;
        to.offset = numbers.extents(dimensions);
        to.count = numbers.extents(dimensions);
        if (!numbers.are_right() || !size_in_bytes(block.shape, dtype) || !fits(Box{start, to.count}, block.shape) ||
            !fits(to, box.count)) {
            return tl::unexpected(garbled_reduction());
        }
        ref.bytes = block.data_bytes();
        wanted.pieces.push_back({i, &block, {to, Selection(Box{start, to.count})}});
    }
    return numbers.are_all() ? base::Result<ToReduce>(std::move(wanted)) : tl::unexpected(garbled_reduction());
}

List encode(std::span<const std::byte> bytes) {
    List words;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::int64_t)) {
        std::int64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
        words.emplace_back(word);
    }
    return words;
}

base::Result<std::vector<std::byte>> decode_bytes(const List& words, std::size_t expected) {
    if (words.size() != (expected + sizeof(std::int64_t) - 1) / sizeof(std::int64_t)) {
        return tl::unexpected(garbled_reduction());
    }
    std::vector<std::byte> bytes(expected);
    for (std::size_t at = 0; at < expected; at += sizeof(std::int64_t)) {
        const std::int64_t word = words[at / sizeof(std::int64_t)].as_int().value_or(0);
        std::memcpy(bytes.data() + at, &word, std::min(sizeof(word), expected - at));
    }
    return bytes;
}

}  // namespace staithe::space
