#include "store/space/catalog.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "base/text.hpp"
#include "os/process.hpp"
#include "store/space/name_pattern.hpp"
#include "store/space/overlay.hpp"

namespace staithe::store::space {
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

base::Failure no_such_variable(const std::string& space, const std::string& name,
                               const std::vector<std::string>& names) {
    return {ErrorCode::not_found,
            fmt::format("space '{}' has no variable '{}'{}", space, base::printable(name),
                        names.empty() ? ": nothing was put yet" : "; it has " + base::closest(name, names))};
}

base::Result<std::int64_t> Catalog::check(const Put& put) const {
    return check(put, find_variable(put.block.variable));
}

base::Result<std::int64_t> Catalog::check(const Put& put, const Variable* variable) const {
    if (auto checked = check_box(put.block); !checked) {
        return base::fail(std::move(checked));
    }
    const bool is_new = variable == nullptr;
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

base::Result<Catalog::Placed> Catalog::place(const Put& put, base::Clock::time_point now) {
    const std::string& name = put.block.variable;
    const auto next = variables_.lower_bound(name);
    const bool is_new = next == variables_.end() || next->first != name;
    const auto number = check(put, is_new ? nullptr : &next->second);
    if (!number) {
        return base::fail(number);
    }
    Variable& variable = is_new ? add_variable(next, name) : next->second;
    auto& version = variable.versions[*number];
    if (version == nullptr) {
        version = std::make_shared<Version>(*number, next_serial(), put, commons_);
    }
    const Placed placed{*number, version->serial()};
    version->add(put);
    version->use(now);
    if (version->is_complete() && version->completion() == 0) {
        version->set_completion(++last_completion_, now);
        variable.by_completion.emplace(last_completion_, *number);
        if (completed_) {
            completed_(*version);
        }
        drop_old(name, variable, now);
    }
    return placed;
}

/// Of the process: what is known of versions outlives catalogs, and servers that others are started in the place of.
std::int64_t Catalog::next_serial() {
    static std::atomic<std::int64_t> last{os::wall_clock_microseconds()};
    return ++last;
}

Catalog::Variable& Catalog::variable_of(const std::string& name) {
    const auto next = variables_.lower_bound(name);
    return next != variables_.end() && next->first == name ? next->second : add_variable(next, name);
}

Catalog::Variable& Catalog::add_variable(Variables::iterator next, const std::string& name) {
    const auto entry = variables_.try_emplace(next, name);
    entry->second.place = names_.add(entry->first);
    return entry->second;
}

void Catalog::take(const std::string& name, std::int64_t number, const VersionState& state,
                   base::Clock::time_point now) {
    const auto variable = variables_.find(name);
    const auto found = variable == variables_.end() ? Versions::iterator() : variable->second.versions.find(number);
    if (variable == variables_.end() || found == variable->second.versions.end()) {
        return;
    }
    auto& by_completion = variable->second.by_completion;
    if (const auto place = by_completion.find(found->second->completion());
        place != by_completion.end() && place->second == number) {
        by_completion.erase(place);
    }
    found->second->take(state);
    found->second->set_completion(state.completion, now);
    if (state.completion > 0) {
        by_completion.insert_or_assign(state.completion, number);
    }
}

bool Catalog::add_twin(const std::string& variable, std::int64_t number, const BlockPlace& of, const BlockPlace& twin) {
    const auto found = variables_.find(variable);
    const auto version = found == variables_.end() ? Versions::iterator() : found->second.versions.find(number);
    return found != variables_.end() && version != found->second.versions.end() && version->second->add_twin(of, twin);
}

void Catalog::absorb(Catalog&& other) {
    for (auto& [name, variable] : other.variables_) {
        Variable& own = variable_of(name);
        own.versions = std::move(variable.versions);
        own.by_completion = std::move(variable.by_completion);
    }
    other.variables_.clear();
    rules_.merge(other.rules_);
    for (const auto& [path, attributes] : other.containers_.all()) {
        containers_.set_attributes(path, attributes);
    }
    last_completion_ = std::max(last_completion_, other.last_completion_);
}

void Catalog::lose(base::FunctionRef<bool(std::uint32_t store)> is_lost) {
    for (auto& [name, variable] : variables_) {
        for (auto& [number, version] : variable.versions) {
            version->lose(is_lost);
        }
    }
}

const Catalog::Variable* Catalog::find_variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : &found->second;
}

base::Result<std::shared_ptr<const Version>> Catalog::find(const Wanted& wanted) const {
    const Variable* const variable = find_variable(wanted.variable);
    if (variable == nullptr) {
        return nullptr;
    }
    const auto has_it = [&](const Version& version) -> base::Result<bool> {
        const auto lies_in_it = [&](const Box& box) { return fits(box, version.shape()); };
        const auto outside = std::ranges::find_if_not(wanted.boxes, lies_in_it);
        const Box* const other = outside != wanted.boxes.end()            ? &*outside
                                 : wanted.box && !lies_in_it(*wanted.box) ? &*wanted.box
                                                                          : nullptr;
        if (other != nullptr) {
            return base::fail(ErrorCode::invalid_argument, "{} does not lie in version {} of '{}', whose shape is {}",
                              to_string(*other), version.number(), base::printable(wanted.variable),
                              to_string(version.shape()));
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

std::shared_ptr<const Version> Catalog::at(const std::string& variable, std::int64_t number) const {
    const Variable* const found = find_variable(variable);
    const auto version = found == nullptr ? Versions::const_iterator() : found->versions.find(number);
    return found == nullptr || version == found->versions.end() ? nullptr : version->second;
}

std::size_t Catalog::move(const std::string& variable, std::int64_t number, std::optional<std::int64_t> serial,
                          const BlockMoves& moves) {
    const auto found = variables_.find(variable);
    const auto version = found == variables_.end() ? Versions::iterator() : found->second.versions.find(number);
    const bool may_move = found != variables_.end() && version != found->second.versions.end() &&
                          version->second.use_count() == 1 && (!serial || version->second->serial() == *serial);
    return may_move ? version->second->move(moves) : 0;
}

bool Catalog::replace(const std::shared_ptr<const Version>& version, const std::shared_ptr<Version>& other,
                      std::vector<std::size_t> gone) {
    const auto variable = variables_.find(version->variable());
    const auto found =
        variable == variables_.end() ? Versions::iterator() : variable->second.versions.find(version->number());
    if (variable == variables_.end() || found == variable->second.versions.end() || found->second != version) {
        return false;
    }
    found->second->give_way_to(other, std::move(gone));
    found->second = other;
    return true;
}

std::string Catalog::why_not(const Wanted& wanted) const {
    const Variable* const variable = find_variable(wanted.variable);
    if (variable == nullptr) {
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
    const std::string beginning = pattern.substr(0, pattern.find_first_of("*?"));
    std::vector<std::string> names;
    if (beginning.empty()) {
        names_.visit([&](std::string_view name) {
            if (fits_pattern(name, pattern)) {
                names.emplace_back(name);
            }
        });
        std::ranges::sort(names);
        return names;
    }
    for (auto each = variables_.lower_bound(beginning); each != variables_.end() && each->first.starts_with(beginning);
         ++each) {
        if (fits_pattern(each->first, pattern)) {
            names.push_back(each->first);
        }
    }
    return names;
}

base::Result<std::vector<std::shared_ptr<const Version>>> Catalog::versions(const std::string& name) const {
    const Variable* const variable = find_variable(name);
    if (variable == nullptr) {
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
    if (variable == variables_.end()) {
        return tl::unexpected(no_such_variable(name));
    }
    Versions& versions = variable->second.versions;
    if (version) {
        const auto found = versions.find(*version);
        if (found == versions.end()) {
            return base::fail(ErrorCode::not_found, "{}", why_not({.variable = name, .version = version}));
        }
        drop(variable->second, found);
    } else {
        drop_all(variable->second);
    }
    if (versions.empty()) {
        erase(variable);
    }
    return {};
}

std::int64_t Catalog::remove_variables_in(const std::string& container) {
    const std::string beginning = Containers::beginning_of_all_in(container);
    std::int64_t removed = 0;
    for (auto each = variables_.lower_bound(beginning); each != variables_.end() && each->first.starts_with(beginning);
         ++removed) {
        drop_all(each->second);
        each = erase(each);
    }
    return removed;
}

Catalog::Variables::iterator Catalog::erase(Variables::iterator variable) {
    names_.remove(variable->second.place, [this](std::string_view name, NameList::Place place) {
        variables_.find(std::string(name))->second.place = place;
    });
    return variables_.erase(variable);
}

void Catalog::drop_all(Variable& variable) {
    for (auto each = variable.versions.cbegin(); each != variable.versions.cend();) {
        each = drop(variable, each);
    }
}

Catalog::Versions::const_iterator Catalog::drop(Variable& variable, Versions::const_iterator version) {
    if (dropped_) {
        dropped_(*version->second);
    }
    variable.by_completion.erase(version->second->completion());
    return variable.versions.erase(version);
}

base::Result<> Catalog::retain(const std::string& variable, const RetentionRules& rules, base::Clock::time_point now) {
    if (auto checked = space::check(rules, base::printable(variable)); !checked) {
        return checked;
    }
    rules_.insert_or_assign(variable, rules);
    if (const auto kept = variables_.find(variable); kept != variables_.end()) {
        drop_old(variable, kept->second, now);
    }
    return {};
}

void Catalog::await(const Wanted& wanted) {
    if (wanted.version) {
        ++awaited_[{wanted.variable, *wanted.version}];
    }
}

void Catalog::await_no_more(const Wanted& wanted) {
    const auto found = wanted.version ? awaited_.find({wanted.variable, *wanted.version}) : awaited_.end();
    if (found != awaited_.end() && --found->second == 0) {
        awaited_.erase(found);
    }
}

void Catalog::drop_old(const std::string& name, Variable& variable, base::Clock::time_point now) {
    const auto rules = rules_.find(name);
    if (follows_ || rules == rules_.end()) {
        return;
    }
    const auto is_awaited = [&](std::int64_t number) { return !awaited_.empty() && awaited_.contains({name, number}); };
    const bool all_are_complete = variable.by_completion.size() == variable.versions.size();
    if (const auto keep = rules->second.number_alone(); keep && all_are_complete) {
        // The same, as usual, without a look at those that stay: small objects come by the hundred thousand a second.
        std::int64_t left = std::ssize(variable.versions) - *keep;
        for (auto version = variable.versions.cbegin(); left > 0; --left) {
            const bool is_needed = version->second.use_count() > 1 || is_awaited(version->first);
            version = is_needed ? std::next(version) : drop(variable, version);
        }
        return;
    }
    std::vector<Retained> versions;
    for (const auto& [number, version] : variable.versions) {
        versions.push_back({.number = number,
                            .bytes = version->bytes(),
                            .complete = version->is_complete(),
                            .pinned = version.use_count() > 1,
                            .awaited = is_awaited(number),
                            .completed = version->completed()});
    }
    for (const std::int64_t number : find_expendable(versions, rules->second, now).versions) {
        drop(variable, variable.versions.find(number));
    }
}

}  // namespace staithe::store::space
