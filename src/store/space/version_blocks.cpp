#include "store/space/version_blocks.hpp"

#include <algorithm>
#include <bit>

namespace staithe::store::space {
namespace {

constexpr std::size_t few = 16;  // are looked at one by one

/// The dimension in which such boxes are likely to differ.
std::size_t dimension_of_most(const Extents& shape, const Box& box) {
    std::size_t most = 0;
    double smallest = 1.0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const double share = static_cast<double>(box.count[i]) / static_cast<double>(shape[i]);
        if (share < smallest) {
            smallest = share;
            most = i;
        }
    }
    return most;
}

}  // namespace

void VersionBlocks::Beginnings::add(const Box& box, std::size_t place) {
    const int digits = std::bit_width(static_cast<std::uint64_t>(box.count[along]));
    places[digits].emplace(box.offset[along], place);
}

void VersionBlocks::add(const VersionBlock& block) {
    numbers_.insert(numbers_.end(), block.box.offset.begin(), block.box.offset.end());
    numbers_.insert(numbers_.end(), block.box.count.begin(), block.box.count.end());
    entries_.push_back({block.ref, block.by, block.column_major});
    set_twin(size() - 1, block.twin);
    if (beginnings_ != nullptr) {
        beginnings_->add(block.box, size() - 1);
    } else if (size() > few && !shape_.empty()) {
        beginnings_ = std::make_unique<Beginnings>();
        beginnings_->along = dimension_of_most(shape_, box(0));
        for (std::size_t place = 0; place < size(); ++place) {
            beginnings_->add(box(place), place);
        }
    }
}

Box VersionBlocks::box(std::size_t place) const {
    Box box = Box::whole(shape_);
    const std::int64_t* const numbers = numbers_.data() + place * 2 * shape_.size();
    std::copy_n(numbers, shape_.size(), box.offset.begin());
    std::copy_n(numbers + shape_.size(), shape_.size(), box.count.begin());
    return box;
}

VersionBlock VersionBlocks::operator[](std::size_t place) const {
    const Entry& entry = entries_[place];
    return {box(place), entry.ref, entry.column_major, entry.by, twin(place)};
}

std::optional<BlockPlace> VersionBlocks::twin(std::size_t place) const {
    const auto found = twins_.find(place);
    return found == twins_.end() ? std::nullopt : std::optional(found->second);
}

void VersionBlocks::set_twin(std::size_t place, const std::optional<BlockPlace>& twin) {
    if (twin) {
        twins_.insert_or_assign(place, *twin);
    } else {
        twins_.erase(place);
    }
}

std::vector<std::size_t> VersionBlocks::meeting(const Box& wanted) const {
    std::vector<std::size_t> places;
    if (is_empty(wanted)) {  // it meets nothing, and where it ends lies no further than where it begins
        return places;
    }
    if (contains(wanted, Box::whole(shape_))) {
        for (std::size_t place = 0; place < size(); ++place) {
            if (!is_empty(box(place))) {
                places.push_back(place);
            }
        }
        return places;
    }
    if (beginnings_ == nullptr) {
        for (std::size_t place = 0; place < size(); ++place) {
            if (intersect(box(place), wanted)) {
                places.push_back(place);
            }
        }
        return places;
    }
    const std::size_t along = beginnings_->along;
    const std::int64_t begin = wanted.offset[along];
    for (const auto& [digits, alike] : beginnings_->places) {
        const std::int64_t longest = digits < 63 ? (std::int64_t{1} << digits) - 1 : INT64_MAX;
        const auto last = alike.lower_bound(begin + wanted.count[along]);
        for (auto it = alike.upper_bound(begin - longest); it != last; ++it) {
            if (intersect(box(it->second), wanted)) {
                places.push_back(it->second);
            }
        }
    }
    std::ranges::sort(places);
    return places;
}

}  // namespace staithe::store::space
