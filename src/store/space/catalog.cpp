#include "store/space/catalog.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <ranges>
#include <utility>

#include "base/text.hpp"
#include "store/space/name_pattern.hpp"
#include "store/space/overlay.hpp"

namespace staithe::store::space {
namespace {

/// The dimension in which such boxes are likely to differ.
std::size_t dimension_of_most(const BlockDescription& block) {
    std::size_t most = 0;
    double smallest = 1.0;
    for (std::size_t i = 0; i < block.shape.size(); ++i) {
        const double share = static_cast<double>(block.box.count[i]) / static_cast<double>(block.shape[i]);
        if (share < smallest) {
            smallest = share;
            most = i;
        }
    }
    return most;
}

}  // namespace

base::Result<> check_box(const BlockDescription& block) {
    if (!fits(block.box, block.shape)) {
        return base::fail(ErrorCode::invalid_argument, "the block {} of '{}' does not lie in its shape {}",
                          to_string(block.box), base::printable(block.variable), to_string(block.shape));
    }
    if (!volume(block.shape) || !size_in_bytes(block.box.count, block.dtype)) {
        return base::fail(ErrorCode::invalid_argument, "'{}' of shape {} has more elements than can be counted",
                          base::printable(block.variable), to_string(block.shape));
    }
    return {};
}

// A version -------------------------------------------------------------------------------------------------------

Version::Version(std::int64_t number, std::int64_t serial, const Put& first, std::shared_ptr<const GiveBack> give_back)
    : number_(number), serial_(serial), give_back_(std::move(give_back)), whole_(first.block) {
    whole_.box = Box::whole(whole_.shape);
    whole_.column_major = false;
    whole_.attributes.clear();
    along_ = dimension_of_most(first.block);
}

Version::~Version() {
    for (const VersionBlock& block : blocks_) {
        (*give_back_)(block.ref);
    }
}

double Version::covered() const {
    const std::int64_t elements = volume(whole_.shape).value_or(0);
    return elements == 0 ? 1.0 : static_cast<double>(covered_) / static_cast<double>(elements);
}

std::vector<std::size_t> Version::places_of(const Box& box) const {
    std::vector<std::size_t> places;
    if (is_empty(box)) {  // it meets nothing, and where it ends lies no further than where it begins
        return places;
    }
    if (box.dimensions() == 0) {
        places.resize(blocks_.size());
        std::ranges::generate(places, [i = std::size_t{0}]() mutable { return i++; });
        return places;
    }
    const std::int64_t begin = box.offset[along_];
    for (const auto& [digits, alike] : by_offset_) {
        const std::int64_t longest = digits < 63 ? (std::int64_t{1} << digits) - 1 : INT64_MAX;
        const auto last = alike.lower_bound(begin + box.count[along_]);
        for (auto it = alike.upper_bound(begin - longest); it != last; ++it) {
            if (intersect(blocks_[it->second].box, box)) {
                places.push_back(it->second);
            }
        }
    }
    std::ranges::sort(places);
    return places;
}

std::vector<VersionBlock> Version::meeting(const Box& box) const {
    std::vector<VersionBlock> blocks;
    for (const std::size_t place : places_of(box)) {
        blocks.push_back(blocks_[place]);
    }
    return blocks;
}

base::Result<> Version::check(const Put& put) const {
    const BlockDescription& block = put.block;
    const std::string name = base::printable(block.variable);
    if (block.dtype != whole_.dtype || block.shape != whole_.shape) {
        return base::fail(
            ErrorCode::invalid_argument,
            "version {} of '{}' has {} of shape {}, and this block is of {} and shape {}: all blocks of a "
            "version belong to one array",
            number_, name, name_of(whole_.dtype), to_string(whole_.shape), name_of(block.dtype),
            to_string(block.shape));
    }
    if (is_complete_ && !is_empty(block.box)) {  // a rank that has nothing to put may come last
        return base::fail(ErrorCode::already_exists,
                          "version {} of '{}' is complete, and does not change any more: put another version", number_,
                          name);
    }
    if (!put.may_cover) {
        const auto places = places_of(block.box);
        if (!places.empty()) {
            const VersionBlock& other = blocks_[places.front()];
            return base::fail(ErrorCode::already_exists,
                              "version {} of '{}': {} puts {}, of which {} has put {} already", number_, name,
                              put.by.name, to_string(block.box), putters_[other.by], to_string(other.box));
        }
    }
    return {};
}

void Version::add(const Put& put) {
    const Box& box = put.block.box;
    if (is_complete_) {
        (*give_back_)(put.ref);
        return;
    }
    if (!is_empty(box)) {
        std::vector<Box> below;
        for (const std::size_t place : places_of(box)) {
            below.push_back(blocks_[place].box);
        }
        covered_ += volume(box.count).value_or(0) - elements_of(overlay(below, box));
    }
    const auto known = std::ranges::find(putters_, put.by.name);
    const auto by = static_cast<std::uint32_t>(known - putters_.begin());
    if (known == putters_.end()) {
        putters_.push_back(put.by.name);
    }
    if (box.dimensions() > 0) {
        const int digits = std::bit_width(static_cast<std::uint64_t>(box.count[along_]));
        by_offset_[digits].emplace(box.offset[along_], blocks_.size());
    }
    blocks_.push_back({box, put.ref, put.block.column_major, by});
    bytes_ += put.ref.bytes;
    for (const auto& [key, value] : put.block.attributes) {
        whole_.attributes[key] = value;
    }
    if (whole_.unit.empty()) {
        whole_.unit = put.block.unit;
    }
    if (put.completes) {
        done_.insert(put.by.rank);
    }
    is_complete_ = covered_ == volume(whole_.shape) || std::cmp_greater_equal(done_.size(), put.by.ranks);
}

// The catalog -----------------------------------------------------------------------------------------------------

base::Result<std::int64_t> Catalog::check(const Put& put) const {
    if (auto checked = check_box(put.block); !checked) {
        return base::fail(std::move(checked));
    }
    const Variable* const variable = find_variable(put.block.variable);
    const bool is_new = variable == nullptr || variable->versions.empty();
    if (!put.version && !is_new && variable->versions.rbegin()->first == INT64_MAX) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' has version {}, after which there is none: name the version",
                          base::printable(put.block.variable), INT64_MAX);
    }
    const std::int64_t number = put.version.value_or(is_new ? 0 : variable->versions.rbegin()->first + 1);
    const auto found = is_new ? Versions::const_iterator() : variable->versions.find(number);
    if (is_new || found == variable->versions.end()) {
        return number;
    }
    const auto checked = found->second->check(put);
    return checked ? base::Result<std::int64_t>(number) : base::fail(checked);
}

base::Result<std::int64_t> Catalog::put(const Put& put, base::Clock::time_point now) {
    const auto number = check(put);
    if (!number) {
        return number;
    }
    Variable& variable = variables_[put.block.variable];
    auto& version = variable.versions[*number];
    if (version == nullptr) {
        version = std::make_shared<Version>(*number, ++last_serial, put, give_back_);
    }
    version->add(put);
    if (version->is_complete() && variable.completed.emplace(*number, now).second) {
        version->set_completion(++last_completion_);
        variable.by_completion.emplace(last_completion_, *number);
        drop_old(variable, now);
    }
    return number;
}

const Catalog::Variable* Catalog::find_variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : &found->second;
}

base::Failure Catalog::no_such_variable(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [each, variable] : variables_) {
        if (!variable.versions.empty()) {
            names.push_back(each);
        }
    }
    return {ErrorCode::not_found,
            fmt::format("space '{}' has no variable '{}'{}", space_, base::printable(name),
                        names.empty() ? ": nothing was put yet" : "; it has " + base::closest(name, names))};
}

base::Result<std::shared_ptr<const Version>> Catalog::find(const Wanted& wanted) const {
    const Variable* const variable = find_variable(wanted.variable);
    if (variable == nullptr) {
        return nullptr;
    }
    const auto has_it = [&](const Version& version) -> base::Result<bool> {
        if (wanted.box && !fits(*wanted.box, version.whole().shape)) {
            return base::fail(ErrorCode::invalid_argument, "{} does not lie in version {} of '{}', whose shape is {}",
                              to_string(*wanted.box), version.number(), base::printable(wanted.variable),
                              to_string(version.whole().shape));
        }
        return version.is_complete();
    };
    const auto next = variable->by_completion.upper_bound(wanted.after.value_or(0));
    if (wanted.after && next == variable->by_completion.end()) {
        return nullptr;
    }
    const auto number = wanted.after ? std::optional(next->second) : wanted.version;
    if (number) {
        const auto found = variable->versions.find(*number);
        if (found == variable->versions.end()) {
            return nullptr;
        }
        const auto has = has_it(*found->second);
        return has ? base::Result<std::shared_ptr<const Version>>(*has ? found->second : nullptr) : base::fail(has);
    }
    for (const auto& version : std::views::reverse(variable->versions | std::views::values)) {
        if (version->is_complete()) {
            const auto has = has_it(*version);
            return has ? base::Result<std::shared_ptr<const Version>>(version) : base::fail(has);
        }
    }
    return nullptr;
}

std::string Catalog::why_not(const Wanted& wanted) const {
    const Variable* const variable = find_variable(wanted.variable);
    if (variable == nullptr || variable->versions.empty()) {
        return no_such_variable(wanted.variable).message;
    }
    const auto& versions = variable->versions;
    const std::string name = base::printable(wanted.variable);
    if (wanted.after) {
        return fmt::format("no further version of '{}' was completed; the newest is {}", name,
                           versions.rbegin()->first);
    }
    const auto latest = [&] { return std::prev(versions.end()); };
    const auto asked = wanted.version ? versions.find(*wanted.version) : latest();
    if (asked == versions.end()) {
        return fmt::format("'{}' has no version {}; it has {}, from {} to {}", name, *wanted.version, versions.size(),
                           versions.begin()->first, latest()->first);
    }
    return fmt::format("version {} of '{}' is not complete: {:.3g} % of its elements were put", asked->first, name,
                       100.0 * asked->second->covered());
}

std::vector<std::string> Catalog::list(const std::string& pattern) const {
    std::vector<std::string> names;
    for (const auto& [name, variable] : variables_) {
        if (!variable.versions.empty() && fits_pattern(name, pattern)) {
            names.push_back(name);
        }
    }
    return names;
}

base::Result<std::vector<std::shared_ptr<const Version>>> Catalog::versions(const std::string& name) const {
    const Variable* const variable = find_variable(name);
    if (variable == nullptr || variable->versions.empty()) {
        return tl::unexpected(no_such_variable(name));
    }
    std::vector<std::shared_ptr<const Version>> versions;
    for (const auto& [number, version] : variable->versions) {
        versions.push_back(version);
    }
    return versions;
}

base::Result<> Catalog::remove(const std::string& name, std::optional<std::int64_t> version) {
    const auto variable = variables_.find(name);
    if (variable == variables_.end() || variable->second.versions.empty()) {
        return tl::unexpected(no_such_variable(name));
    }
    if (!version) {
        variable->second.versions.clear();
        variable->second.completed.clear();
        variable->second.by_completion.clear();
        forget_if_bare(variable);
        return {};
    }
    const auto found = variable->second.versions.find(*version);
    if (found == variable->second.versions.end()) {
        return base::fail(ErrorCode::not_found, "{}", why_not({.variable = name, .version = version}));
    }
    drop(variable->second, found);
    forget_if_bare(variable);
    return {};
}

void Catalog::drop(Variable& variable, Versions::const_iterator version) {
    variable.completed.erase(version->first);
    variable.by_completion.erase(version->second->completion());
    variable.versions.erase(version);
}

base::Result<> Catalog::retain(const std::string& variable, const RetentionRules& rules, base::Clock::time_point now) {
    if (auto checked = space::check(rules, base::printable(variable)); !checked) {
        return checked;
    }
    Variable& kept = variables_[variable];
    kept.rules = rules;
    drop_old(kept, now);
    return {};
}

void Catalog::await(const Wanted& wanted) {
    if (wanted.version) {
        ++variables_[wanted.variable].awaited[*wanted.version];
    }
}

void Catalog::await_no_more(const Wanted& wanted) {
    if (const auto variable = variables_.find(wanted.variable); wanted.version && variable != variables_.end()) {
        auto& awaited = variable->second.awaited;
        const auto found = awaited.find(*wanted.version);
        if (found != awaited.end() && --found->second == 0) {
            awaited.erase(found);
            forget_if_bare(variable);
        }
    }
}

/// Names that somebody has waited for in vain are as many as people like.
void Catalog::forget_if_bare(std::map<std::string, Variable>::iterator variable) {
    const Variable& each = variable->second;
    if (each.versions.empty() && each.awaited.empty() && !each.rules) {
        variables_.erase(variable);
    }
}

void Catalog::drop_old(Variable& variable, base::Clock::time_point now) {
    if (!variable.rules) {
        return;
    }
    std::vector<Retained> versions;
    for (const auto& [number, version] : variable.versions) {
        const auto completed = variable.completed.find(number);
        versions.push_back({.number = number,
                            .bytes = version->bytes(),
                            .complete = version->is_complete(),
                            .pinned = version.use_count() > 1,
                            .awaited = variable.awaited.contains(number),
                            .completed = completed == variable.completed.end() ? now : completed->second});
    }
    for (const std::int64_t number : find_expendable(versions, *variable.rules, now).versions) {
        drop(variable, variable.versions.find(number));
    }
}

}  // namespace staithe::store::space
