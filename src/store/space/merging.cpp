#include "store/space/merging.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>

#include <staithe/array_view.hpp>

#include "array/overlap.hpp"

namespace staithe::store::space {
namespace {

/// By where they lie in all dimensions but one, then along that one.
std::strong_ordering compare(const Box& a, const Box& b, std::size_t along) {
    for (std::size_t i = 0; i < a.dimensions(); ++i) {
        if (i == along) {
            continue;
        }
        if (const auto order = a.offset[i] <=> b.offset[i]; order != nullptr) {
            return order;
        }
        if (const auto order = a.count[i] <=> b.count[i]; order != nullptr) {
            return order;
        }
    }
    return a.offset[along] <=> b.offset[along];
}

bool is_next(const Box& box, Box next, std::size_t along) {
    const bool follows = box.offset[along] + box.count[along] == next.offset[along];
    next.offset[along] = box.offset[along];
    next.count[along] = box.count[along];
    return follows && next == box;
}

/// Those that lie behind one another along a dimension become one.
void join(std::vector<Merge>& merges, std::size_t along) {
    std::ranges::sort(merges, [along](const Merge& a, const Merge& b) { return compare(a.box, b.box, along) < 0; });
    std::size_t joined = 0;
    for (std::size_t i = 1; i < merges.size(); ++i) {
        Merge& last = merges[joined];
        if (is_next(last.box, merges[i].box, along)) {
            last.box.count[along] += merges[i].box.count[along];
            last.parts.insert(last.parts.end(), merges[i].parts.begin(), merges[i].parts.end());
        } else if (++joined != i) {
            merges[joined] = std::move(merges[i]);
        }
    }
    merges.resize(std::min(merges.size(), joined + 1));
}

/// How many blocks have a part in it, up to `most`.
std::size_t blocks_in(const Merge& merge, std::size_t most) {
    std::vector<std::size_t> layers;
    for (const Shown& part : merge.parts) {
        if (layers.size() == most) {
            break;
        }
        if (std::ranges::find(layers, part.layer) == layers.end()) {
            layers.push_back(part.layer);
        }
    }
    return layers.size();
}

}  // namespace

MergePlan plan_merges(std::span<const Mergeable> blocks, const Box& region, std::size_t least) {
    std::vector<Box> boxes;
    boxes.reserve(blocks.size());
    std::ranges::transform(blocks, std::back_inserter(boxes), &Mergeable::box);
    MergePlan plan;
    std::vector<std::size_t> left(blocks.size());  // parts that are seen, and in no new block
    for (const Shown& shown : overlay(boxes, region)) {
        ++left[shown.layer];
        if (blocks[shown.layer].may_go) {
            plan.merges.push_back({shown.part, {shown}});
        }
    }
    // Along the last dimension first: rows lie together in memory. What was joined along one may fit along another.
    for (std::size_t before = plan.merges.size() + 1; plan.merges.size() < before;) {
        before = plan.merges.size();
        for (std::size_t along = region.dimensions(); along-- > 0;) {
            join(plan.merges, along);
        }
    }
    std::erase_if(plan.merges, [least](const Merge& merge) { return blocks_in(merge, least) < least; });
    for (const Merge& merge : plan.merges) {
        for (const Shown& part : merge.parts) {
            --left[part.layer];
        }
    }
    for (std::size_t place = 0; place < blocks.size(); ++place) {
        if (blocks[place].may_go && left[place] == 0 && contains(region, boxes[place])) {
            plan.gone.push_back(place);
        }
    }
    return plan;
}

bool copy_parts(const Merge& merge, Dtype dtype, bool column_major, std::byte* to,
                base::FunctionRef<std::optional<MergeSource>(std::size_t layer)> source_of) {
    const auto strides = [dtype](const Box& box, bool by_columns) {
        return by_columns ? column_major_strides(box.count, size_of(dtype))
                          : row_major_strides(box.count, size_of(dtype));
    };
    const MutableArrayView destination{to, dtype, merge.box.count, strides(merge.box, column_major)};
    for (const auto& [layer, part] : merge.parts) {
        const auto source = source_of(layer);
        if (!source) {
            return false;
        }
        Box here = part, there = part;
        for (std::size_t i = 0; i < part.dimensions(); ++i) {
            here.offset[i] -= merge.box.offset[i];
            there.offset[i] -= source->box.offset[i];
        }
        array::copy({here, Selection(there)}, destination,
                    {source->bytes, dtype, source->box.count, strides(source->box, source->column_major)});
    }
    return true;
}

std::optional<std::pair<Box, Box>> cut_between(std::span<const Mergeable> blocks, const Box& region) {
    for (std::size_t i = 0; i < region.dimensions(); ++i) {
        std::vector<std::int64_t> beginnings;
        for (const Mergeable& block : blocks) {
            const std::int64_t begin = block.box.offset[i];
            if (region.offset[i] < begin && begin < region.offset[i] + region.count[i]) {
                beginnings.push_back(begin);
            }
        }
        if (!beginnings.empty()) {
            const auto middle = beginnings.begin() + std::ssize(beginnings) / 2;
            std::ranges::nth_element(beginnings, middle);
            std::pair<Box, Box> parts(region, region);
            parts.first.count[i] = *middle - region.offset[i];
            parts.second.offset[i] = *middle;
            parts.second.count[i] = region.offset[i] + region.count[i] - *middle;
            return parts;
        }
    }
    return std::nullopt;
}

}  // namespace staithe::store::space
