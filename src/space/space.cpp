// The public edge of spaces.
#include <staithe/space.hpp>

#include <utility>

#include "array/strided_copy.hpp"
#include "base/budget.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "space/described.hpp"
#include "space/door.hpp"
#include "space/held_lock.hpp"
#include "space/keeper.hpp"
#include "space/keepers.hpp"
#include "space/query.hpp"
#include "space/view.hpp"
#include "stream/opening.hpp"
#include "stream/reading/reduced.hpp"

namespace staithe {

namespace {

void check_destination(const std::string& variable, Dtype dtype, const Extents& shape,
                       const MutableArrayView& destination) {
    if (destination.shape != shape || !is_safe_cast(dtype, destination.dtype)) {
        throw InvalidArgument("'" + base::printable(variable) + "' is " + name_of(dtype) + " of shape " +
                              to_string(shape) + ": not all of it can be written as " + name_of(destination.dtype) +
                              " of shape " + to_string(destination.shape));
    }
}

}  // namespace

void SpaceArray::copy_to(const MutableArrayView& destination) const {
    check_destination(variable, view.array.dtype, view.array.shape, destination);
    array::copy({Box::whole(view.array.shape), Selection::all(view.array.shape)}, destination, view.array);
}

Space::Space(const std::string& name, const SpaceOptions& options)
    : name_(name), group_(options.group), known_(std::make_shared<space::KnownStatistics>()) {
    base::value_or_raise(base::refresh_limits());
    base::value_or_raise(stream::check_group(group_));
    timeout_ = base::value_or_raise(stream::resolve_timeout(options.timeout)).value_or(stream::default_timeout);
    door_ = std::make_shared<space::Door>(
        base::value_or_raise(space::open_keeper(name, options.server, base::Deadline(base::Seconds(timeout_)))));
}

std::shared_ptr<space::Keeper> Space::keeper() const {
    auto keeper = door_->keeper();
    if (keeper == nullptr) {
        throw Closed("space '" + name_ + "' is closed: open it again");
    }
    if (!keeper->is_here()) {
        throw PeerLost(
            "space '" + name_ +
            "' stays with the process that opened it, and this one was forked off: open the space in the child");
    }
    return keeper;
}

void Space::close() noexcept { door_->close(); }

double Space::timeout_of(const std::optional<double>& chosen) const {
    return chosen ? base::value_or_raise(stream::resolve_timeout(chosen)).value_or(timeout_) : timeout_;
}

std::string Space::kept_by() const { return keeper()->title(); }

std::int64_t Space::put(const std::string& variable, const ArrayView& block, const SpacePut& options) {
    const auto keeper = this->keeper();
    const base::Deadline deadline(base::Seconds(timeout_), door_->closing());
    store::space::Put put = base::value_or_raise(space::described(
        variable, block, options, {.name = space::own_name(group_), .rank = group_.rank, .ranks = group_.size}));
    put.locks = base::value_or_raise(space::HeldLock::tokens_for(*keeper, variable, put.block.box));
    return space::value_or_closed(space::put_alone(*keeper, std::move(put), block, deadline), name_, deadline);
}

space::Found Space::find(const std::string& variable, const SpaceGet& options, std::vector<Box> boxes) const {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_variable(variable));
    const base::Deadline deadline(base::Seconds(timeout_of(options.timeout)), door_->closing());
    const store::space::Wanted wanted{
        .variable = variable, .version = options.version, .box = options.box, .boxes = std::move(boxes)};
    space::Found found = space::value_or_closed(keeper->find(wanted, deadline), name_, deadline);
    if (options.completion && *options.completion != found.completion) {
        throw NotFound(
            fmt::format("version {} of '{}' was removed, and another one put in its place: open it again, or "
                        "ask again for what depends on it",
                        found.version, base::printable(variable)));
    }
    return found;
}

SpaceArray Space::get(const std::string& variable, const SpaceGet& options) const {
    const space::Found found = find(variable, options);
    return base::value_or_raise(space::array_in(found, options.box));
}

std::int64_t Space::read(const std::string& variable, const MutableArrayView& destination,
                         const SpaceGet& options) const {
    const space::Found found = find(variable, options);
    const Box wanted = options.box.value_or(found.whole.box);
    check_destination(variable, found.whole.dtype, wanted.count, destination);
    base::value_or_raise(space::copy_in(found, wanted, destination));
    return found.version;
}

SpaceReduction Space::reduce(const std::string& variable, const std::string& how, const SpaceReduce& options) const {
    const space::Found found = find(variable, options.of);
    const Box box = options.of.box.value_or(found.whole.box);
    auto reduction = base::value_or_raise(
        store::reducing::Reduction::make(how, found.whole.dtype, Box::whole(box.count), options.axes));
    const auto parts = base::value_or_raise(space::assembly_of(found, box));
    const base::Deadline deadline(base::Seconds(timeout_of(options.of.timeout)), door_->closing());
    const auto reduced = keeper()->reduce(*found.source, parts.refs, parts.pieces, reduction, deadline);
    space::value_or_closed(space::of_version(found, reduced), name_, deadline);
    return {found.version, base::value_or_raise(stream::result_of(std::move(reduction)))};
}

std::vector<Box> Space::blocks(const std::string& variable, const SpaceGet& options) const {
    const space::Found found = find(variable, options);
    std::vector<Box> boxes;
    for (const auto& shown : space::shown_in(found, options.box.value_or(found.whole.box))) {
        boxes.push_back(shown.part);
    }
    return boxes;
}

std::vector<std::string> Space::names(const std::string& pattern) const {
    return base::value_or_raise(keeper()->list(pattern));
}

std::vector<std::string> Space::containers(const std::string& pattern) const {
    return base::value_or_raise(keeper()->list_containers(pattern));
}

void Space::set_attributes(const std::string& path, const Attributes& attributes) {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_container(path));
    if (const auto checked = base::check(attributes); !checked) {
        throw InvalidArgument("attributes of '" + base::printable(path) + "': " + checked.error().message);
    }
    base::value_or_raise(keeper->set_attributes(path, attributes));
}

Attributes Space::attributes(const std::string& path) const {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_container(path));
    return base::value_or_raise(keeper->attributes(path));
}

std::vector<SpaceVersion> Space::versions(const std::string& variable) const {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_variable(variable));
    std::vector<SpaceVersion> versions;
    for (space::Listed& listed : base::value_or_raise(keeper->versions(variable))) {
        store::BlockDescription& whole = listed.whole;
        versions.push_back({listed.version, listed.is_complete, listed.blocks, listed.bytes, whole.dtype, whole.shape,
                            std::move(whole.unit), std::move(whole.attributes), listed.completion});
    }
    return versions;
}

SpaceQueryResult Space::query(const std::string& condition, const SpaceQuery& options) const {
    const std::int64_t most = options.most.value_or(INT64_MAX);
    if (most < 0) {
        throw InvalidArgument(
            fmt::format("a query cannot give {} boxes: say how many at most, or nothing for all", most));
    }
    space::QueryResult result = base::value_or_raise(
        space::query(*keeper(), *known_, condition, options.version, static_cast<std::size_t>(most)));
    return {result.version, std::move(result.variables), std::move(result.boxes), result.elements,
            std::move(result.completions)};
}

SpaceArray Space::values(const SpaceQueryResult& hits, const std::string& variable) const {
    SpaceGet options{.version = hits.version, .timeout = 0};
    for (std::size_t i = 0; i < std::min(hits.variables.size(), hits.completions.size()); ++i) {
        if (hits.variables[i] == variable) {
            options.completion = hits.completions[i];
        }
    }
    try {
        return base::value_or_raise(
            space::values_in(find(variable, options, space::boxes_to_ask_for(hits.boxes)), hits.boxes));
    } catch (const Timeout& error) {
        throw NotFound(fmt::format("version {} of '{}' is not there (any more): {}", hits.version,
                                   base::printable(variable), error.what()));
    }
}

void Space::remove(const std::string& variable, std::optional<std::int64_t> version) {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_variable(variable));
    base::value_or_raise(keeper->remove(variable, version));
}

std::int64_t Space::remove_container(const std::string& path) {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_container(path));
    return base::value_or_raise(keeper->remove_container(path));
}

void Space::keep(const std::string& variable, const SpaceKeep& rules) {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_variable(variable));
    store::space::RetentionRules retained{rules.versions, rules.bytes};
    if (rules.seconds) {
        const auto time = store::space::duration_of(*rules.seconds);
        if (!time) {
            throw InvalidArgument(fmt::format("versions of '{}' are kept for a year at most, not for {:g} s",
                                              base::printable(variable), *rules.seconds));
        }
        retained.keep_for = *time;
    }
    base::value_or_raise(keeper->retain(variable, retained));
}

}  // namespace staithe
