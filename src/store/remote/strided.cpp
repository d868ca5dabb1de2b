#include "store/remote/strided.hpp"

#include <algorithm>
#include <cstdlib>

namespace staithe::store::remote {

std::int64_t Runs::bytes() const {
    std::int64_t all = run;
    for (const Loop& loop : loops) {
        all *= loop.count;
    }
    return all;
}

Runs runs_of(std::int64_t size, const Extents& counts, const Extents& strides) {
    PerDimension<Loop> inside_out;
    Runs runs{0, size, {}};
    for (std::size_t i = counts.size(); i-- > 0;) {
        if (counts[i] == 1) {
            continue;
        }
        if (inside_out.empty() && strides[i] == runs.run) {
            runs.run *= counts[i];
        } else if (!inside_out.empty() &&
                   strides[i] == inside_out[inside_out.size() - 1].stride * inside_out[inside_out.size() - 1].count) {
            inside_out[inside_out.size() - 1].count *= counts[i];
        } else {
            inside_out.push_back({counts[i], strides[i]});
        }
    }
    std::reverse(inside_out.begin(), inside_out.end());
    runs.loops = inside_out;
    return runs;
}

bool fit(const Runs& runs, std::int64_t size) {
    std::int64_t extent = runs.run;
    if (runs.first < 0 || extent < 1 || extent > size) {
        return false;
    }
    for (std::size_t i = runs.loops.size(); i-- > 0;) {
        const auto [count, stride] = runs.loops[i];
        // The last one begins at most `size` after the first, so nothing here overflows.
        if (count < 1 || stride < extent || stride > size || count - 1 > (size - extent) / stride) {
            return false;
        }
        extent += (count - 1) * stride;
    }
    return runs.first <= size - extent;
}

std::optional<Stretched> lie_in(const Runs& runs, std::int64_t size) {
    if (runs.run < 1 || runs.run > size || runs.first < 0 || runs.first > size - runs.run) {
        return std::nullopt;
    }
    std::int64_t first = runs.first;
    std::int64_t last = runs.first;
    for (const auto& [count, stride] : runs.loops) {
        const bool can_be = count >= 1 && stride >= -size && stride <= size;
        if (!can_be || (stride != 0 && count - 1 > size / std::abs(stride))) {
            return std::nullopt;
        }
        const std::int64_t extent = (count - 1) * stride;  // so it is no more than the size
        if (extent > size - runs.run - last || -extent > first) {
            return std::nullopt;
        }
        (extent < 0 ? first : last) += extent;
    }
    return Stretched{first, last + runs.run - first};
}

Stretch stretch_at(const Runs& runs, std::int64_t position) {
    std::int64_t index = position / runs.run;
    const std::int64_t within = position % runs.run;
    std::int64_t place = runs.first + within;
    for (std::size_t i = runs.loops.size(); i-- > 0;) {
        const auto [count, stride] = runs.loops[i];
        place += index % count * stride;
        index /= count;
    }
    return {place, runs.run - within};
}

Laid lay_out(const Runs& runs, std::byte* memory, std::int64_t position, std::int64_t most,
             std::span<std::span<std::byte>> parts) {
    Laid laid;
    const std::int64_t end = std::min(runs.bytes() - position, most);
    while (laid.parts < parts.size() && laid.bytes < end) {
        const Stretch stretch = stretch_at(runs, position + laid.bytes);
        const std::int64_t length = std::min(stretch.bytes, end - laid.bytes);
        parts[laid.parts++] = {memory + stretch.place, static_cast<std::size_t>(length)};
        laid.bytes += length;
    }
    return laid;
}

Batches::Batches(const Extents& shape, std::int64_t most) : shape_(shape) {
    std::int64_t inner = 1;
    along_ = shape.size();
    while (along_ > 0 && shape[along_ - 1] <= most / inner) {
        inner *= shape[--along_];
    }
    now_ = Box{Extents::filled(shape.size(), 0), shape};
    if (along_ > 0) {
        group_ = std::max<std::int64_t>(most / inner, 1);
        --along_;
        std::fill_n(now_->count.begin(), along_, 1);
        now_->count[along_] = std::min(group_, shape[along_]);
    } else {
        group_ = shape.empty() ? 1 : shape[0];
    }
}

void Batches::next() {
    if (shape_.empty()) {
        now_.reset();
        return;
    }
    std::int64_t& start = now_->offset[along_];
    start += now_->count[along_];
    if (start == shape_[along_]) {
        start = 0;
        std::size_t i = along_;
        while (i > 0 && ++now_->offset[i - 1] == shape_[i - 1]) {
            now_->offset[--i] = 0;
        }
        if (i == 0) {
            now_.reset();
            return;
        }
    }
    now_->count[along_] = std::min(group_, shape_[along_] - now_->offset[along_]);
}

}  // namespace staithe::store::remote
