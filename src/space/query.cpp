#include "space/query.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

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

std::vector<Box> in_order(std::vector<Box> boxes) {
    std::ranges::sort(boxes, std::ranges::lexicographical_compare, &Box::offset);
    return boxes;
}

/// What was put of the version: disjoint boxes, in the order of their offsets.
std::vector<Box> put_boxes(const Found& found) {
    std::vector<Box> boxes;
    for (const auto& shown : shown_in(found, found.whole.box)) {
        boxes.push_back(shown.part);
    }
    return in_order(std::move(boxes));
}

std::vector<Box> slabs_of_all(std::span<const Box> boxes) {
    std::vector<Box> slabs;
    for (const Box& box : boxes) {
        std::ranges::move(store::space::slabs_of(box), std::back_inserter(slabs));
    }
    return slabs;
}

bool are_same(const Parts& a, const Parts& b) { return a == b || *a == *b; }

/// Where both were put.
Parts common_parts(const Parts& parts, const Parts& others) {
    if (are_same(parts, others)) {
        return parts;
    }
    const array::BoxIndex index(*others);
    std::vector<Box> common;
    for (const Box& part : *parts) {
        index.meeting(part, [&](std::size_t other) {
            common.push_back(*intersect(part, (*others)[other]));
            return true;
        });
    }
    return std::make_shared<const std::vector<Box>>(in_order(std::move(common)));
}

/// What attributes alone decide.
void take_all(const Found& found, std::size_t most, QueryResult& result) {
    result.boxes = put_boxes(found);
    for (const Box& box : result.boxes) {
        result.elements += volume(box.count).value_or(0);
    }
    result.boxes.resize(std::min(most, result.boxes.size()));
}

/// A variable that the condition names, in the parts that are looked at.
class Column {
  public:
    Column(KnownStatistics& known, const Found& found, const Parts& parts)
        : known_(known), found_(found), parts_(parts), statistics_(known.find(found, parts)) {}

    [[nodiscard]] const std::optional<Statistics>& statistics(std::size_t part) const { return (*statistics_)[part]; }
    base::Result<View> view(std::size_t part) {
        if (!overlay_) {
            overlay_.emplace(overlay_of(found_));
        }
        return view_in(found_, *overlay_, (*parts_)[part]);
    }
    void summarize(std::size_t part, const ArrayView& array) {
        if (!learnt_) {
            learnt_ = std::make_shared<PartStatistics>(*statistics_);
            statistics_ = learnt_;
        }
        (*learnt_)[part] = store::space::summarize(array);
    }
    void keep_what_was_learnt() {
        if (learnt_) {
            known_.keep(found_, parts_, std::exchange(learnt_, nullptr));
        }
    }

  private:
    KnownStatistics& known_;
    const Found& found_;
    Parts parts_;
    std::shared_ptr<const PartStatistics> statistics_;
    std::shared_ptr<PartStatistics> learnt_;  // the same, once a part was summarized
    std::optional<store::space::Overlay> overlay_;
};

/// Looks at one part of the version after another.
class Search {
  public:
    Search(const Predicate& predicate, std::vector<Column> columns, std::size_t most, QueryResult& result)
        : predicate_(predicate), columns_(std::move(columns)), most_(most), result_(result) {}

    base::Result<> look_at(const std::vector<Box>& parts) {
        base::Result<> looked;
        for (std::size_t part = 0; looked && part < parts.size(); ++part) {
            looked = look_at(part, parts[part]);
        }
        for (Column& column : columns_) {
            column.keep_what_was_learnt();
        }
        return looked;
    }

  private:
    base::Result<> look_at(std::size_t number, const Box& part) {
        Matches matches = judge(number);
        if (matches == Matches::some) {
            arrays_.clear();
            views_.clear();
            for (Column& column : columns_) {
                auto view = column.view(number);
                if (!view) {
                    return base::fail(std::move(view));
                }
                if (!column.statistics(number)) {
                    column.summarize(number, view->array);
                }
                arrays_.push_back(view->array);
                views_.push_back(*std::move(view));
            }
            matches = judge(number);
        }
        if (matches == Matches::all) {
            result_.elements += volume(part.count).value_or(0);
            take(part);
        } else if (matches == Matches::some) {
            take_some(part);
        }
        return {};
    }

    /// Some may match where one variable has no statistics yet.
    Matches judge(std::size_t part) {
        statistics_.clear();
        for (const Column& column : columns_) {
            if (!column.statistics(part)) {
                return Matches::some;
            }
            statistics_.push_back(*column.statistics(part));
        }
        return predicate_.judge(statistics_);
    }

    void take_some(const Box& part) {
        mask_.resize(static_cast<std::size_t>(volume(part.count).value_or(0)));
        result_.elements += store::space::select(predicate_, arrays_, part.count, mask_);
        for (Box box : store::space::boxes_of(mask_, part.count)) {
            for (std::size_t i = 0; i < box.dimensions(); ++i) {
                box.offset[i] += part.offset[i];
            }
            take(box);
        }
    }

    void take(const Box& box) {
        if (result_.boxes.size() < most_) {
            result_.boxes.push_back(box);
        }
    }

    const Predicate& predicate_;
    std::vector<Column> columns_;
    const std::size_t most_;
    QueryResult& result_;
    // Of one part after another:
    std::vector<Statistics> statistics_;
    std::vector<View> views_;
    std::vector<ArrayView> arrays_;
    std::vector<std::uint8_t> mask_;
};

}  // namespace

Parts KnownStatistics::parts_of(const Found& found) {
    {
        const std::lock_guard lock(mutex_);
        const auto known = known_.find(key_of(found));
        if (known != known_.end() && known->second.all) {
            return known->second.all;
        }
    }
    const auto parts = std::make_shared<const std::vector<Box>>(slabs_of_all(put_boxes(found)));
    const std::lock_guard lock(mutex_);
    make_room(parts->size());
    known_[key_of(found)].all = parts;
    return parts;
}

std::shared_ptr<const PartStatistics> KnownStatistics::find(const Found& found, const Parts& parts) const {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key_of(found)); known != known_.end()) {
        for (const Way& way : known->second.ways) {
            if (are_same(way.parts, parts)) {
                return way.statistics;
            }
        }
    }
    return std::make_shared<const PartStatistics>(parts->size());
}

void KnownStatistics::keep(const Found& found, const Parts& parts, std::shared_ptr<const PartStatistics> statistics) {
    const std::lock_guard lock(mutex_);
    auto& ways = known_[key_of(found)].ways;
    const auto same = std::ranges::find_if(ways, [&](const Way& way) { return are_same(way.parts, parts); });
    if (same != ways.end()) {
        same->statistics = std::move(statistics);
        return;
    }
    make_room(parts->size());
    known_[key_of(found)].ways.push_back({parts, std::move(statistics)});
}

void KnownStatistics::make_room(std::size_t parts) {
    if (remembered_ + parts > most_parts) {
        known_.clear();
        remembered_ = 0;
    }
    remembered_ += parts;
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
    if (predicate->decided()) {
        if (*predicate->decided()) {
            take_all(found->front(), most, result);
        }
        return result;
    }
    std::vector<const Found*> looked_at;
    for (const std::string& variable : predicate->variables()) {
        looked_at.push_back(
            &*std::ranges::find(*found, variable, [](const Found& each) { return each.whole.variable; }));
    }
    Parts parts = known.parts_of(*looked_at.front());
    for (std::size_t i = 1; i < looked_at.size(); ++i) {
        parts = common_parts(parts, known.parts_of(*looked_at[i]));
    }
    std::vector<Column> columns;
    for (const Found* const each : looked_at) {
        columns.emplace_back(known, *each, parts);
    }
    if (auto looked = Search(*predicate, std::move(columns), most, result).look_at(*parts); !looked) {
        return base::fail(std::move(looked));
    }
    return result;
}

}  // namespace staithe::space
