#include "space/query.hpp"

#include <algorithm>
#include <set>

#include "array/box_index.hpp"
#include "base/text.hpp"
#include "space/view.hpp"
#include "store/space/mask_boxes.hpp"
#include "store/space/overlay.hpp"
#include "store/space/slabs.hpp"

namespace staithe::space {
namespace {

using store::space::Matches;
using store::space::Predicate;
using store::space::Statistics;

/// The versions that all of these variables have complete, which is some if any is.
base::Result<std::int64_t> newest_of_all(Keeper& keeper, const std::vector<std::string>& variables) {
    std::optional<std::set<std::int64_t>> common;
    for (const std::string& variable : variables) {
        const auto listed = keeper.versions(variable);
        if (!listed) {
            return base::fail(listed);
        }
        std::set<std::int64_t> complete;
        for (const Listed& version : *listed) {
            if (version.is_complete && (!common || common->contains(version.version))) {
                complete.insert(version.version);
            }
        }
        common = std::move(complete);
    }
    if (common->empty()) {
        return base::fail(ErrorCode::not_found,
                          "there is no version that all variables of the condition have complete");
    }
    return *common->rbegin();
}

base::Result<std::vector<Found>> find_all(Keeper& keeper, const std::vector<std::string>& variables,
                                          std::int64_t version) {
    std::vector<Found> all;
    for (const std::string& variable : variables) {
        auto found = keeper.find({.variable = variable, .version = version}, base::Deadline(base::Seconds(0)));
        if (!found) {
            const bool is_absent = found.error().code == ErrorCode::timeout;
            return is_absent ? base::fail(ErrorCode::not_found, "version {} of '{}' is not there, or not complete",
                                          version, base::printable(variable))
                             : base::fail(std::move(found));
        }
        if (!all.empty() && all.front().whole.shape != found->whole.shape) {
            return base::fail(ErrorCode::invalid_argument,
                              "'{}' has the shape {} and '{}' has {}: a condition is on variables of one shape",
                              base::printable(variables.front()), to_string(all.front().whole.shape),
                              base::printable(variable), to_string(found->whole.shape));
        }
        all.push_back(*std::move(found));
    }
    return all;
}

/// What was put of the version: disjoint boxes, in the order of their offsets.
std::vector<Box> parts_of(const Found& found) {
    std::vector<Box> boxes;
    for (const auto& block : found.blocks) {
        boxes.push_back(block.box);
    }
    std::vector<Box> parts;
    for (const auto& each : store::space::overlay(boxes, found.whole.box)) {
        parts.push_back(each.part);
    }
    std::ranges::sort(parts, std::ranges::lexicographical_compare, &Box::offset);
    return parts;
}

/// Where both were put.
void keep_common(std::vector<Box>& parts, const std::vector<Box>& others) {
    if (parts == others) {
        return;
    }
    const array::BoxIndex index(others);
    std::vector<Box> common;
    for (const Box& part : parts) {
        index.meeting(part, [&](std::size_t other) {
            common.push_back(*intersect(part, others[other]));
            return true;
        });
    }
    std::ranges::sort(common, std::ranges::lexicographical_compare, &Box::offset);
    parts = std::move(common);
}

/// Looks at one part of the version after another.
class Search {
  public:
    Search(KnownStatistics& known, const Predicate& predicate, std::vector<const Found*> found, std::size_t most,
           QueryResult& result)
        : known_(known), predicate_(predicate), found_(std::move(found)), most_(most), result_(result) {}

    base::Result<> look_at(const Box& part) {
        std::vector<std::optional<Statistics>> statistics;
        for (const Found* const found : found_) {
            statistics.push_back(known_.find(*found, part));
        }
        if (std::ranges::all_of(statistics, [](const auto& each) { return each.has_value(); })) {
            const Matches matches = judge(statistics);
            if (matches != Matches::some) {
                take_whole(part, matches);
                return {};
            }
        }
        std::vector<View> views;
        std::vector<ArrayView> arrays;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            auto view = view_in(*found_[i], part);
            if (!view) {
                return base::fail(std::move(view));
            }
            if (!statistics[i]) {
                statistics[i] = store::space::summarize(view->array);
                known_.keep(*found_[i], part, *statistics[i]);
            }
            arrays.push_back(view->array);
            views.push_back(*std::move(view));
        }
        const Matches matches = judge(statistics);
        if (matches != Matches::some) {
            take_whole(part, matches);
            return {};
        }
        mask_.resize(static_cast<std::size_t>(volume(part.count).value_or(0)));
        result_.elements += store::space::select(predicate_, arrays, part.count, mask_);
        for (Box box : store::space::boxes_of(mask_, part.count)) {
            for (std::size_t i = 0; i < box.dimensions(); ++i) {
                box.offset[i] += part.offset[i];
            }
            take(box);
        }
        return {};
    }

  private:
    [[nodiscard]] Matches judge(const std::vector<std::optional<Statistics>>& statistics) const {
        std::vector<Statistics> all;
        for (const auto& each : statistics) {
            all.push_back(*each);
        }
        return predicate_.judge(all);
    }
    void take_whole(const Box& part, Matches matches) {
        if (matches == Matches::all) {
            result_.elements += volume(part.count).value_or(0);
            take(part);
        }
    }
    void take(const Box& box) {
        if (result_.boxes.size() < most_) {
            result_.boxes.push_back(box);
        }
    }

    KnownStatistics& known_;
    const Predicate& predicate_;
    const std::vector<const Found*> found_;
    const std::size_t most_;
    QueryResult& result_;
    std::vector<std::uint8_t> mask_;
};

}  // namespace

KnownStatistics::Key KnownStatistics::key_of(const Found& found, const Box& part) {
    Key key{{found.whole.variable, found.serial}, {part.offset.begin(), part.offset.end()}};
    key.second.insert(key.second.end(), part.count.begin(), part.count.end());
    return key;
}

std::optional<Statistics> KnownStatistics::find(const Found& found, const Box& part) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key_of(found, part));
    return known == known_.end() ? std::nullopt : std::optional(known->second);
}

void KnownStatistics::keep(const Found& found, const Box& part, const Statistics& statistics) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most) {
        known_.clear();
    }
    known_.insert_or_assign(key_of(found, part), statistics);
}

base::Result<QueryResult> query(Keeper& keeper, KnownStatistics& known, const std::string& text,
                                std::optional<std::int64_t> version, std::size_t most) {
    const auto condition = store::space::Condition::parse(text);
    if (!condition) {
        return base::fail(condition);
    }
    QueryResult result;
    for (const std::string& name : condition->names()) {
        const auto listed = keeper.versions(name);
        if (listed && !listed->empty()) {
            result.variables.push_back(name);
        } else if (!listed && listed.error().code != ErrorCode::not_found) {
            return base::fail(listed);
        }
    }
    if (result.variables.empty()) {
        return base::fail(ErrorCode::not_found, "the condition names no variable of the space: {}",
                          keeper.versions(condition->names().front()).error().message);
    }
    auto number = version ? base::Result<std::int64_t>(*version) : newest_of_all(keeper, result.variables);
    auto found = number ? find_all(keeper, result.variables, *number) : base::fail(number);
    // The newest may have made room for a newer one before it was found.
    for (int repeat = 0; !version && number && !found && found.error().code == ErrorCode::not_found && repeat < 100;
         ++repeat) {
        number = newest_of_all(keeper, result.variables);
        found = number ? find_all(keeper, result.variables, *number) : base::fail(number);
    }
    if (!found) {
        return base::fail(found);
    }
    result.version = *number;
    std::map<std::string, Dtype> dtypes;
    Attributes attributes;
    for (const Found& each : *found) {
        result.completions.push_back(each.completion);
        dtypes.emplace(each.whole.variable, each.whole.dtype);
        attributes.insert(each.whole.attributes.begin(), each.whole.attributes.end());
    }
    const auto predicate = Predicate::make(*condition, dtypes, attributes);
    if (!predicate) {
        return base::fail(predicate);
    }
    std::vector<const Found*> looked_at;
    for (const std::string& variable : predicate->variables()) {
        looked_at.push_back(
            &*std::ranges::find(*found, variable, [](const Found& each) { return each.whole.variable; }));
    }
    std::vector<Box> parts = parts_of(looked_at.empty() ? found->front() : *looked_at.front());
    for (std::size_t i = 1; i < looked_at.size(); ++i) {
        keep_common(parts, parts_of(*looked_at[i]));
    }
    if (predicate->decided()) {
        for (std::size_t i = 0; *predicate->decided() && i < parts.size(); ++i) {
            result.elements += volume(parts[i].count).value_or(0);
            if (i < most) {
                result.boxes.push_back(parts[i]);
            }
        }
        return result;
    }
    Search search(known, *predicate, std::move(looked_at), most, result);
    for (const Box& whole_part : parts) {
        for (const Box& part : store::space::slabs_of(whole_part)) {
            if (auto looked = search.look_at(part); !looked) {
                return base::fail(std::move(looked));
            }
        }
    }
    return result;
}

}  // namespace staithe::space
