// A version of a catalog.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "store/space/catalog.hpp"
#include "store/space/overlay.hpp"

namespace staithe::store::space {

Version::Version(std::int64_t number, std::int64_t serial, const Put& first, std::shared_ptr<CatalogCommons> commons)
    : number_(number),
      serial_(serial),
      commons_(std::move(commons)),
      variable_(first.block.variable),
      dtype_(first.block.dtype),
      blocks_(first.block.shape) {}

Version::Version(const Version& before, VersionBlocks blocks)
    : number_(before.number_),
      serial_(before.serial_),
      commons_(before.commons_),
      variable_(before.variable_),
      dtype_(before.dtype_),
      is_complete_(before.is_complete_),
      owns_(false),
      unit_(before.unit_),
      attributes_(before.attributes_),
      blocks_(std::move(blocks)),
      done_(before.done_),
      covered_(before.covered_),
      completion_(before.completion_),
      completed_(before.completed_) {
    for (std::size_t place = 0; place < blocks_.size(); ++place) {
        bytes_ += blocks_.ref(place).bytes;
    }
}

Version::~Version() {
    if (successor_ != nullptr) {
        std::ranges::for_each(successor_->gone, [this](std::size_t place) { give_back(place); });
        return;
    }
    for (std::size_t place = 0; owns_ && place < blocks_.size(); ++place) {
        give_back(place);
    }
}

void Version::give_back(std::size_t place) const {
    const BlockRef& ref = blocks_.ref(place);
    if (ref.store != lost_store) {
        commons_->give_back(ref);
    }
    if (const auto twin = blocks_.twin(place)) {
        commons_->give_back({.store = twin->first, .offset = twin->second, .bytes = ref.bytes});
    }
}

std::shared_ptr<Version> Version::rearranged(std::span<const std::size_t> gone,
                                             std::span<const VersionBlock> over) const {
    VersionBlocks blocks(shape());
    for (std::size_t place = 0; place < blocks_.size(); ++place) {
        if (!gone.empty() && gone.front() == place) {
            gone = gone.subspan(1);
        } else {
            blocks.add(blocks_[place]);
        }
    }
    std::ranges::for_each(over, [&](const VersionBlock& block) { blocks.add(block); });
    return std::shared_ptr<Version>(new Version(*this, std::move(blocks)));
}

void Version::give_way_to(const std::shared_ptr<Version>& other, std::vector<std::size_t> gone) {
    other->last_use_ = last_use_;
    other->owns_ = true;
    successor_ = std::make_unique<Successor>(other, std::move(gone));
}

BlockDescription Version::whole() const {
    return {.variable = variable_,
            .dtype = dtype_,
            .shape = shape(),
            .box = Box::whole(shape()),
            .unit = unit_,
            .attributes = attributes_};
}

double Version::covered() const {
    const std::int64_t elements = volume(shape()).value_or(0);
    return elements == 0 ? 1.0 : static_cast<double>(covered_) / static_cast<double>(elements);
}

std::vector<VersionBlock> Version::meeting(std::span<const Box> boxes) const {
    std::vector<std::size_t> places;
    for (const Box& box : boxes) {
        std::ranges::copy(blocks_.meeting(box), std::back_inserter(places));
    }
    std::ranges::sort(places);
    const auto again = std::ranges::unique(places);
    places.erase(again.begin(), again.end());
    return blocks_at(places);
}

std::vector<VersionBlock> Version::blocks_at(const std::vector<std::size_t>& places) const {
    std::vector<VersionBlock> blocks;
    blocks.reserve(places.size());
    std::ranges::transform(places, std::back_inserter(blocks), [&](std::size_t place) { return blocks_[place]; });
    return blocks;
}

base::Result<> Version::check(const Put& put) const {
    const BlockDescription& block = put.block;
    const std::string name = base::printable(block.variable);
    if (block.dtype != dtype_ || block.shape != shape()) {
        return base::fail(
            ErrorCode::invalid_argument,
            "version {} of '{}' has {} of shape {}, and this block is of {} and shape {}: all blocks of a "
            "version belong to one array",
            number_, name, name_of(dtype_), to_string(shape()), name_of(block.dtype), to_string(block.shape));
    }
    if (!unit_.empty() && !block.unit.empty() && block.unit != unit_) {
        return base::fail(ErrorCode::invalid_argument, "version {} of '{}' is in {}, and this block in {}: convert it",
                          number_, name, base::printable(unit_), base::printable(block.unit));
    }
    if (is_complete_ && !is_empty(block.box)) {  // a rank that has nothing to put may come last
        return base::fail(ErrorCode::already_exists,
                          "version {} of '{}' is complete, and does not change any more: put another version", number_,
                          name);
    }
    if (!put.may_cover) {
        const auto places = blocks_.meeting(block.box);
        if (!places.empty()) {
            const VersionBlock other = blocks_[places.front()];
            return base::fail(ErrorCode::already_exists,
                              "version {} of '{}': {} puts {}, of which {} has put {} already", number_, name,
                              put.by.name, to_string(block.box), commons_->putters[other.by], to_string(other.box));
        }
    }
    return {};
}

void Version::add(const Put& put) {
    const Box& box = put.block.box;
    if (is_complete_) {
        commons_->give_back(put.ref);
        if (put.twin) {
            commons_->give_back({.store = put.twin->first, .offset = put.twin->second, .bytes = put.ref.bytes});
        }
        return;
    }
    if (!is_empty(box)) {
        std::vector<Box> below;
        for (const std::size_t place : blocks_.meeting(box)) {
            below.push_back(blocks_.box(place));
        }
        covered_ += volume(box.count).value_or(0) - elements_of(overlay(below, box));
    }
    auto& putters = commons_->putters;
    const auto [by, is_new] =
        commons_->putter_places.try_emplace(put.by.name, static_cast<std::uint32_t>(putters.size()));
    if (is_new) {
        putters.push_back(put.by.name);
    }
    blocks_.add({box, put.ref, put.block.column_major, by->second, put.twin});
    bytes_ += put.ref.bytes;
    for (const auto& [key, value] : put.block.attributes) {
        attributes_[key] = value;
    }
    if (unit_.empty()) {
        unit_ = put.block.unit;
    }
    if (const auto place = std::ranges::lower_bound(done_, put.by.rank);
        put.completes && (place == done_.end() || *place != put.by.rank)) {
        done_.insert(place, put.by.rank);
    }
    is_complete_ = covered_ == volume(shape()) || std::cmp_greater_equal(done_.size(), put.by.ranks);
}

void Version::take(const VersionState& state) {
    is_complete_ = state.is_complete;
    done_ = state.done;
    unit_ = state.unit;
    attributes_ = state.attributes;
}

bool Version::add_twin(const BlockPlace& of, const BlockPlace& twin) {
    for (std::size_t place = 0; place < blocks_.size(); ++place) {
        const bool is_there = place_of(blocks_.ref(place)) == of && !blocks_.twin(place);
        if (is_there || blocks_.twin(place) == of) {
            blocks_.move(place, of.first, of.second);
            blocks_.set_twin(place, twin);
            return true;
        }
    }
    return false;
}

void Version::lose(base::FunctionRef<bool(std::uint32_t store)> is_lost) {
    for (std::size_t place = 0; place < blocks_.size(); ++place) {
        const auto twin = blocks_.twin(place);
        if (twin && is_lost(twin->first)) {
            blocks_.set_twin(place, std::nullopt);
        }
        const BlockRef& ref = blocks_.ref(place);
        if (ref.store == lost_store || !is_lost(ref.store)) {
            continue;
        }
        const auto rest = blocks_.twin(place);
        blocks_.move(place, rest ? rest->first : lost_store, rest ? rest->second : 0);
        blocks_.set_twin(place, std::nullopt);
    }
}

std::size_t Version::move(const BlockMoves& moves) {
    std::size_t moved = 0;
    for (std::size_t place = 0; place < blocks_.size() && moved < moves.size(); ++place) {
        if (const auto move = moves.find(place_of(blocks_.ref(place))); move != moves.end()) {
            blocks_.move(place, move->second.first, move->second.second);
            ++moved;
        }
    }
    return moved;
}

}  // namespace staithe::store::space
