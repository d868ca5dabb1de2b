#include "space/query.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "array/box_index.hpp"
#include "base/text.hpp"
#include "space/described.hpp"
#include "space/view.hpp"
#include "store/space/mask_boxes.hpp"
#include "store/space/overlay.hpp"
#include "store/space/slabs.hpp"

namespace staithe::space {
namespace {

using store::space::Matches;
using store::space::Predicate;
using store::space::Statistics;

/// Of each variable, in the order in which the condition names them.
using VersionsOf = std::vector<std::pair<std::string, std::vector<Listed>>>;

/// Of those names that are variables.
base::Result<VersionsOf> versions_of(Keeper& keeper, const std::vector<std::string>& names) {
    VersionsOf all;
    std::optional<base::Failure> absent;
    for (const std::string& name : names) {
        auto listed = keeper.versions(name);
        if (listed && !listed->empty()) {
            all.emplace_back(name, *std::move(listed));
        } else if (!listed && listed.error().code != ErrorCode::not_found) {
            return base::fail(std::move(listed));
        } else if (!listed && !absent) {
            absent = std::move(listed).error();
        }
    }
    if (all.empty()) {
        return base::fail(ErrorCode::not_found, "the condition names no variable of the space: {}",
                          absent ? absent->message : "they have no versions");
    }
    return all;
}

/// Which all of them have complete, which is some if any is.
base::Result<std::int64_t> newest_of_all(const VersionsOf& variables) {
    std::optional<std::set<std::int64_t>> common;
    for (const auto& [name, listed] : variables) {
        std::set<std::int64_t> complete;
        for (const Listed& version : listed) {
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

base::Result<> check_shapes(const std::vector<Listed>& versions) {
    const store::BlockDescription& first = versions.front().whole;
    for (const Listed& version : versions) {
        if (version.whole.shape != first.shape) {
            return base::fail(ErrorCode::invalid_argument,
                              "'{}' has the shape {} and '{}' has {}: a condition is on variables of one shape",
                              base::printable(first.variable), to_string(first.shape),
                              base::printable(version.whole.variable), to_string(version.whole.shape));
        }
    }
    return {};
}

base::Failure is_not_there(std::int64_t version, const std::string& variable) {
    return {ErrorCode::not_found,
            fmt::format("version {} of '{}' is not there, or not complete", version, base::printable(variable))};
}

/// That version of all of them, each complete.
base::Result<std::vector<Listed>> chosen(const VersionsOf& variables, std::int64_t number) {
    std::vector<Listed> versions;
    for (const auto& [name, listed] : variables) {
        const auto found = std::ranges::find(listed, number, &Listed::version);
        if (found == listed.end() || !found->is_complete) {
            return tl::unexpected(is_not_there(number, name));
        }
        versions.push_back(*found);
    }
    const auto checked = check_shapes(versions);
    return checked ? base::Result<std::vector<Listed>>(std::move(versions)) : base::fail(checked);
}

/// The blocks of a version that was listed, as far as they are asked for: those that meet these boxes, or all.
base::Result<Found> find(Keeper& keeper, const Listed& version, std::span<const Box> boxes = {}) {
    const std::string& variable = version.whole.variable;
    auto found = keeper.find({.variable = variable, .version = version.version, .boxes = boxes_to_ask_for(boxes)},
                             base::Deadline(base::Seconds(0)));
    if (!found && found.error().code == ErrorCode::timeout) {
        return tl::unexpected(is_not_there(version.version, variable));
    }
    if (found && found->completion != version.completion) {
        return base::fail(ErrorCode::not_found,
                          "version {} of '{}' was removed, and another one put in its place: ask again",
                          version.version, base::printable(variable));
    }
    return found;
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
    Column(Keeper& keeper, KnownStatistics& known, const Listed& version)
        : keeper_(keeper), known_(known), version_(version) {}

    [[nodiscard]] const std::string& variable() const { return version_.whole.variable; }
    /// All that was put of it.
    base::Result<Parts> put_parts() {
        if (auto parts = known_.parts_of(version_)) {
            return parts;
        }
        found_ = find(keeper_, version_);
        if (!*found_) {
            return base::fail(*found_);
        }
        auto parts = std::make_shared<const std::vector<Box>>(slabs_of_all(put_boxes(**found_)));
        known_.keep(version_, parts);
        return parts;
    }
    void take(const Parts& parts) {
        parts_ = parts;
        statistics_ = known_.find(version_, parts);
    }
    [[nodiscard]] const std::optional<Statistics>& statistics(std::size_t part) const { return (*statistics_)[part]; }

    /// Before these parts are viewed.
    base::Result<> find_blocks_of(std::span<const Box> parts) {
        if (!found_) {  // else they are all there
            found_ = find(keeper_, version_, parts);
        }
        if (!*found_) {
            return base::fail(*found_);
        }
        overlay_.emplace(overlay_of(**found_));
        return {};
    }
    base::Result<View> view(std::size_t part) { return view_in(**found_, *overlay_, (*parts_)[part]); }
    void summarize(std::size_t part, const ArrayView& array) {
        if (!learnt_) {
            learnt_ = std::make_shared<PartStatistics>(*statistics_);
            statistics_ = learnt_;
        }
        (*learnt_)[part] = store::space::summarize(array);
    }
    void keep_what_was_learnt() {
        if (learnt_) {
            known_.keep(version_, parts_, std::exchange(learnt_, nullptr));
        }
    }

  private:
    Keeper& keeper_;
    KnownStatistics& known_;
    const Listed& version_;
    Parts parts_;
    std::shared_ptr<const PartStatistics> statistics_;
    std::shared_ptr<PartStatistics> learnt_;        // the same, once a part was summarized
    std::optional<base::Result<Found>> found_;      // once it was asked for
    std::optional<store::space::Overlay> overlay_;  // of its blocks
};

/// Looks at one part of the version after another.
class Search {
  public:
    Search(const Predicate& predicate, std::vector<Column> columns, std::size_t most, QueryResult& result)
        : predicate_(predicate), columns_(std::move(columns)), most_(most), result_(result) {}

    /// What is known says of most parts that all matches, or nothing does: the blocks of the others alone are asked
    /// for.
    base::Result<> look_at(const std::vector<Box>& parts) {
        std::vector<Matches> judged(parts.size());
        std::vector<Box> open;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            judged[part] = judge(part);
            if (judged[part] == Matches::some) {
                open.push_back(parts[part]);
            }
        }
        base::Result<> looked;
        for (auto column = columns_.begin(); !open.empty() && looked && column != columns_.end(); ++column) {
            looked = column->find_blocks_of(open);
        }
        for (std::size_t part = 0; looked && part < parts.size(); ++part) {
            looked = look_at(part, parts[part], judged[part]);
        }
        for (Column& column : columns_) {
            column.keep_what_was_learnt();
        }
        return looked;
    }

  private:
    base::Result<> look_at(std::size_t number, const Box& part, Matches matches) {
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

base::Result<> look_for(const Predicate& predicate, Keeper& keeper, KnownStatistics& known,
                        const std::vector<Listed>& versions, std::size_t most, QueryResult& result) {
    std::vector<Column> columns;
    Parts parts;
    for (const std::string& variable : predicate.variables()) {
        Column& column = columns.emplace_back(
            keeper, known,
            *std::ranges::find(versions, variable, [](const Listed& version) { return version.whole.variable; }));
        auto put = column.put_parts();
        if (!put) {
            return base::fail(std::move(put));
        }
        parts = parts == nullptr ? *std::move(put) : common_parts(parts, *put);
    }
    for (Column& column : columns) {
        column.take(parts);
    }
    return Search(predicate, std::move(columns), most, result).look_at(*parts);
}

base::Result<QueryResult> look_at(Keeper& keeper, KnownStatistics& known, const store::space::Condition& condition,
                                  const std::vector<Listed>& versions, std::size_t most) {
    QueryResult result;
    result.version = versions.front().version;
    std::map<std::string, Dtype> dtypes;
    Attributes attributes;
    for (const Listed& version : versions) {
        result.variables.push_back(version.whole.variable);
        result.completions.push_back(version.completion);
        dtypes.emplace(version.whole.variable, version.whole.dtype);
        attributes.insert(version.whole.attributes.begin(), version.whole.attributes.end());
    }
    const auto predicate = Predicate::make(condition, dtypes, attributes);
    if (!predicate) {
        return base::fail(predicate);
    }
    base::Result<> looked;
    if (!predicate->decided()) {
        looked = look_for(*predicate, keeper, known, versions, most, result);
    } else if (*predicate->decided()) {
        const auto found = find(keeper, versions.front());
        if (found) {
            take_all(*found, most, result);
        } else {
            looked = base::fail(found);
        }
    }
    return looked ? base::Result<QueryResult>(std::move(result)) : base::fail(looked);
}

}  // namespace

base::Result<QueryResult> query(Keeper& keeper, KnownStatistics& known, const std::string& text,
                                std::optional<std::int64_t> version, std::size_t most) {
    const auto condition = store::space::Condition::parse(text);
    if (!condition) {
        return base::fail(condition);
    }
    constexpr int most_attempts = 100;
    std::vector<std::int64_t> before;  // the completions that were looked at by the last attempt
    for (int attempt = 1;; ++attempt) {
        const auto variables = versions_of(keeper, condition->names());
        const auto number = !variables ? base::fail(variables)
                            : version  ? base::Result<std::int64_t>(*version)
                                       : newest_of_all(*variables);
        const auto versions = number ? chosen(*variables, *number) : base::fail(number);
        if (!versions) {
            return base::fail(versions);
        }
        auto result = look_at(keeper, known, *condition, *versions, most);
        std::vector<std::int64_t> now;
        std::ranges::transform(*versions, std::back_inserter(now), &Listed::completion);
        // The newest may have made room for a newer one before its blocks were found.
        const bool may_be_gone = !result && result.error().code == ErrorCode::not_found && !version && now != before;
        if (!may_be_gone || attempt == most_attempts) {
            return result;
        }
        before = std::move(now);
    }
}

}  // namespace staithe::space
