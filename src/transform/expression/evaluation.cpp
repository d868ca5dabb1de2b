// A program on arrays: tile by tile, in their place where they lie densely there.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "array/conversion.hpp"
#include "array/strided_copy.hpp"
#include "transform/expression/expression.hpp"
#include "transform/expression/tiles.hpp"
#include "transform/parallel.hpp"

namespace staithe::transform::expression {
namespace {

/// Of a tile: enough for what an instruction costs, few enough for some arrays of them to stay in the cache.
constexpr std::int64_t elements_at_once = 1024;
/// What one thread takes at a time.
constexpr std::int64_t tiles_at_once = 64;

template <class View>
View permuted(const View& view, const PerDimension<std::size_t>& order) {
    View result = view;
    for (std::size_t i = 0; i < order.size(); ++i) {
        result.shape[i] = view.shape[order[i]];
        result.strides[i] = view.strides[order[i]];
    }
    return result;
}

/// Dimensions as they lie in memory, the fastest last.
PerDimension<std::size_t> order_in_memory(const ArrayView& view) {
    auto order = PerDimension<std::size_t>::filled(view.dimensions(), 0);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        const auto [far, near] = std::pair(std::abs(view.strides[a]), std::abs(view.strides[b]));
        return far != near ? far > near : a < b;
    });
    return order;
}

bool repeats_elements(const ArrayView& view) { return std::ranges::find(view.strides, 0) != view.strides.end(); }

/// Whether to step along the dimension before is to step past all of this one.
bool goes_on(const ArrayView& view, std::size_t dimension) {
    return view.strides[dimension - 1] == view.strides[dimension] * view.shape[dimension];
}

template <class View>
void merge(View& view, std::size_t dimension) {
    view.shape[dimension - 1] *= view.shape[dimension];
    view.strides[dimension - 1] = view.strides[dimension];
    for (std::size_t i = dimension; i + 1 < view.shape.size(); ++i) {
        view.shape[i] = view.shape[i + 1];
        view.strides[i] = view.strides[i + 1];
    }
    view.shape.resize(view.shape.size() - 1);
    view.strides.resize(view.strides.size() - 1);
}

/// The same elements in fewer dimensions, in the order in which the first lie in memory: each is computed by itself.
void simplify(std::vector<ArrayView>& from, MutableArrayView& to) {
    const auto first = std::ranges::find_if_not(from, repeats_elements);
    const auto order = order_in_memory(first != from.end() ? *first : ArrayView(to));
    std::ranges::transform(from, from.begin(), [&](const ArrayView& each) { return permuted(each, order); });
    to = permuted(to, order);
    for (std::size_t i = to.dimensions(); i-- > 1;) {
        if (goes_on(to, i) && std::ranges::all_of(from, [i](const ArrayView& each) { return goes_on(each, i); })) {
            merge(to, i);
            std::ranges::for_each(from, [i](ArrayView& each) { merge(each, i); });
        }
    }
}

std::byte* place_in(const void* data, const Extents& strides, const Box& box) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(data)) +
           std::inner_product(strides.begin(), strides.end(), box.offset.begin(), std::int64_t{0});
}

void put(const MutableArrayView& to, const ArrayView& from) {
    if (to.dtype == from.dtype) {
        array::copy(to, from);
    } else {
        array::convert(to, from);
    }
}

}  // namespace

class Evaluation {
  public:
    Evaluation(const Program& program, std::span<const ArrayView> from, const MutableArrayView& to)
        : program_(program), to_(to), tiles_(to.shape, elements_at_once) {
        to_in_place_ = to.dtype == program.dtype() && !program.instructions_.empty() && can_be_in_place(to);
        for (const ArrayView& view : from) {
            // Truth values of others may be any bytes.
            const bool in_place = view.dtype != Dtype::boolean && widened(view.dtype) == view.dtype;
            from_.push_back({view, in_place && can_be_in_place(view)});
        }
    }

    base::Result<> run(int threads) const {
        std::vector<std::int64_t> firsts;
        for (std::int64_t first = 0; first < tiles_.count(); first += tiles_at_once) {
            firsts.push_back(first);
        }
        return for_each(firsts, threads, nullptr, [this](std::int64_t first, Scratch& scratch) -> base::Result<> {
            const Slots own = slots_in(scratch);
            Slots now = own;
            for (std::int64_t i = first; i < std::min(first + tiles_at_once, tiles_.count()); ++i) {
                run(tiles_.at(i), own, now);
            }
            return {};
        });
    }

  private:
    struct From {
        ArrayView view;
        bool in_place = false;
    };
    using Slots = std::vector<std::byte*>;

    [[nodiscard]] bool can_be_in_place(const ArrayView& view) const {
        return tiles_.are_dense(view) && is_aligned(view);
    }

    /// With the numbers in those that are for them.
    Slots slots_in(Scratch& scratch) const {
        const auto bytes_of = [](std::int64_t item) { return static_cast<std::size_t>(item * elements_at_once); };
        std::size_t bytes = 0;
        for (const std::int64_t item : program_.slots_) {
            bytes += bytes_of(item);
        }
        std::byte* next = scratch.get(Scratch::Use::workspace, bytes);
        Slots slots;
        for (const std::int64_t item : program_.slots_) {
            slots.push_back(next);
            next += bytes_of(item);
        }
        for (const auto& [slot, element] : program_.constants_) {
            const auto item = static_cast<std::size_t>(program_.slots_[slot]);
            for (std::size_t i = 0; i < static_cast<std::size_t>(elements_at_once); ++i) {
                std::memcpy(slots[slot] + i * item, element.bytes, item);
            }
        }
        return slots;
    }

    /// A variable that lies in its place is taken from there.
    void run(const Box& tile, const Slots& own, Slots& slots) const {
        const std::int64_t count = volume(tile.count).value_or(0);
        for (std::size_t i = 0; i < from_.size(); ++i) {
            slots[i] = from_[i].in_place ? place_in(from_[i].view.data, from_[i].view.strides, tile)
                                         : gathered(from_[i].view, tile, own[i]);
        }
        const MutableArrayView to{place_in(to_.data, to_.strides, tile), to_.dtype, tile.count, to_.strides};
        for (const auto& instruction : program_.instructions_) {
            const void* arguments[most_arguments] = {};
            std::ranges::transform(instruction.arguments, arguments, [&](std::size_t slot) { return slots[slot]; });
            const bool is_last = &instruction == &program_.instructions_.back();
            instruction.kernel(count, is_last && to_in_place_ ? to.data : slots[instruction.result], arguments);
        }
        if (!to_in_place_) {
            put(to, ArrayView::row_major(slots[program_.result_], program_.dtype(), tile.count));
        }
    }

    /// Elements of a tile, as they are computed in.
    std::byte* gathered(const ArrayView& view, const Box& tile, std::byte* slot) const {
        const ArrayView part{place_in(view.data, view.strides, tile), view.dtype, tile.count, view.strides};
        const Dtype kind = widened(view.dtype);
        put(MutableArrayView::row_major(slot, kind, tile.count), part);
        if (kind == Dtype::boolean) {
            std::transform(slot, slot + volume(tile.count).value_or(0), slot,
                           [](std::byte truth) { return std::byte{truth != std::byte{0}}; });
        }
        return slot;
    }

    const Program& program_;
    const MutableArrayView to_;
    const Tiles tiles_;
    bool to_in_place_ = false;
    std::vector<From> from_;
};

base::Result<> Program::evaluate(std::span<const ArrayView> from, const MutableArrayView& to, int threads) const {
    if (is_empty(to.shape)) {
        return {};
    }
    if (slots_.empty()) {
        put(to, from.front());
        return {};
    }
    return guarded([&] {
        std::vector<ArrayView> views(from.begin(), from.end());
        MutableArrayView simple = to;
        simplify(views, simple);
        return Evaluation(*this, views, simple).run(threads);
    });
}

}  // namespace staithe::transform::expression
