#include <staithe/box.hpp>

namespace staithe {
namespace {

bool any_empty(const auto& dimensions, auto count_of) {
    return std::any_of(dimensions.begin(), dimensions.end(), [&](const auto& d) { return count_of(d) <= 0; });
}

bool fits(const Slice& slice, std::int64_t length) {
    if (slice.count < 0 || slice.step == 0) {
        return false;
    }
    if (slice.count == 0) {
        return true;
    }
    if (slice.start < 0 || slice.start >= length) {
        return false;
    }
    // Unsigned: the smallest step has no positive counterpart, and start + step * count may not fit 64 bits.
    const auto step = static_cast<std::uint64_t>(slice.step);
    const auto distance = slice.step > 0 ? step : 0 - step;
    const auto room = static_cast<std::uint64_t>(slice.step > 0 ? length - 1 - slice.start : slice.start);
    return static_cast<std::uint64_t>(slice.count - 1) <= room / distance;
}

std::string text_of(std::int64_t number) { return std::to_string(number); }

/// a + b * c, wrapping around: messages also show what does not fit.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                     static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(c));
}

std::string text_of(const Slice& slice) {
    const std::string start = text_of(slice.start) + ":";
    if (slice.step == 1 || slice.count <= 1) {
        // Of two numbers that are not negative, even the largest ones, the sum fits 64 bits without a sign.
        return start + (slice.start >= 0 && slice.count >= 0 ? std::to_string(static_cast<std::uint64_t>(slice.start) +
                                                                              static_cast<std::uint64_t>(slice.count))
                                                             : text_of(wrapping_sum(slice.start, slice.count, 1)));
    }
    const std::int64_t last = wrapping_sum(slice.start, slice.step, wrapping_sum(slice.count, -1, 1));
    const std::int64_t stop = wrapping_sum(last, slice.step > 0 ? 1 : -1, 1);
    // A stop of -1 would mean the last element: such a slice runs to the very beginning and has none.
    return start + (stop < 0 ? "" : text_of(stop)) + ":" + text_of(slice.step);
}

template <class T>
std::string joined(const PerDimension<T>& dimensions) {
    std::string text;
    for (const T& dimension : dimensions) {
        text += (text.empty() ? "" : ", ") + text_of(dimension);
    }
    return text;
}

}  // namespace

std::optional<std::int64_t> volume(const Extents& count) noexcept {
    std::int64_t elements = 1;
    bool zero = false;
    bool overflow = false;
    for (const std::int64_t n : count) {
        if (n < 0) {
            return std::nullopt;
        }
        if (n == 0) {
            zero = true;
        } else {
            overflow |= __builtin_mul_overflow(elements, n, &elements);  // a division would take longer than all else
        }
    }
    if (zero) {
        return 0;
    }
    return overflow ? std::nullopt : std::optional(elements);
}

Extents shape_of(const Selection& selection) noexcept {
    Extents shape;
    for (const Slice& slice : selection) {
        shape.push_back(slice.count);
    }
    return shape;
}

bool is_empty(const Extents& count) noexcept {
    return any_empty(count, [](std::int64_t n) { return n; });
}

bool is_empty(const Box& box) noexcept { return is_empty(box.count); }

bool is_empty(const Selection& selection) noexcept {
    return any_empty(selection, [](const Slice& slice) { return slice.count; });
}

bool fits(const Box& box, const Extents& shape) noexcept {
    if (box.offset.size() != shape.size() || box.count.size() != shape.size()) {
        return false;
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool inside = box.offset[i] >= 0 && box.count[i] >= 0 && box.count[i] <= shape[i] &&
                            box.offset[i] <= shape[i] - box.count[i];
        if (!inside) {
            return false;
        }
    }
    return true;
}

bool fits(const Selection& selection, const Extents& shape) noexcept {
    if (selection.size() != shape.size()) {
        return false;
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!fits(selection[i], shape[i])) {
            return false;
        }
    }
    return true;
}

std::optional<Box> intersect(const Box& a, const Box& b) noexcept {
    if (a.dimensions() != b.dimensions()) {
        return std::nullopt;
    }
    Box common = a;
    for (std::size_t i = 0; i < a.dimensions(); ++i) {
        const std::int64_t first = std::max(a.offset[i], b.offset[i]);
        const std::int64_t end = std::min(a.offset[i] + a.count[i], b.offset[i] + b.count[i]);
        if (first >= end) {
            return std::nullopt;
        }
        common.offset[i] = first;
        common.count[i] = end - first;
    }
    return common;
}

bool contains(const Box& outer, const Box& inner) noexcept {
    if (outer.dimensions() != inner.dimensions()) {
        return false;
    }
    return is_empty(inner) || intersect(outer, inner) == inner;
}

Box bounding_box(const Selection& selection) noexcept {
    Box box;
    for (const auto& [start, step, count] : selection) {
        const std::int64_t reach = count > 0 ? step * (count - 1) : 0;
        box.offset.push_back(std::min(start, start + reach));
        box.count.push_back(count > 0 ? std::max(reach, -reach) + 1 : 0);
    }
    return box;
}

std::optional<Box> as_box(const Selection& selection) noexcept {
    Box box;
    for (const auto& [start, step, count] : selection) {
        if (step != 1 && count > 1) {
            return std::nullopt;
        }
        box.offset.push_back(start);
        box.count.push_back(count);
    }
    return box;
}

std::string to_string(const Extents& extents) { return "(" + joined(extents) + ")"; }

std::string to_string(const Box& box) { return to_string(Selection(box)); }

std::string to_string(const Selection& selection) { return "[" + joined(selection) + "]"; }

}  // namespace staithe
