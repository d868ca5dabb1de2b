#include "store/space/slabs.hpp"

#include <algorithm>

namespace staithe::store::space {

std::vector<Box> slabs_of(const Box& part, std::int64_t most) {
    std::vector<Box> slabs;
    std::int64_t rest = volume(part.count).value_or(0);
    if (rest <= most) {
        return {part};
    }
    std::size_t along = 0;
    while (along + 1 < part.dimensions() && rest / part.count[along] > most) {
        rest /= part.count[along++];
    }
    // All of the dimensions before it have to be gone through one index at a time.
    const std::int64_t step = std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, rest / part.count[along]));
    Box slab = part;
    for (std::size_t i = 0; i < along; ++i) {
        slab.count[i] = 1;
    }
    const std::int64_t end = part.offset[along] + part.count[along];
    for (;;) {
        for (std::int64_t at = part.offset[along]; at < end; at += step) {
            slab.offset[along] = at;
            slab.count[along] = std::min(step, end - at);
            slabs.push_back(slab);
        }
        std::size_t next = along;
        while (next > 0 && ++slab.offset[next - 1] == part.offset[next - 1] + part.count[next - 1]) {
            slab.offset[next - 1] = part.offset[next - 1];
            --next;
        }
        if (next == 0) {
            return slabs;
        }
    }
}

Selection part_of(const Selection& selection, const Box& part) {
    Selection some = selection;
    for (std::size_t i = 0; i < selection.size(); ++i) {
        some[i].start += part.offset[i] * some[i].step;
        some[i].count = part.count[i];
    }
    return some;
}

}  // namespace staithe::store::space
