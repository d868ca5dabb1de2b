#include "stream/reading/read_plan.hpp"

#include <algorithm>

#include "stream/describing/layout.hpp"

namespace staithe::stream {
namespace {

std::shared_ptr<const ReadPlan> make_plan(const VariableLayout& variable, const Selection& selection) {
    std::vector<std::size_t> near;
    variable.index.meeting(bounding_box(selection), [&](std::size_t block) {
        near.push_back(block);
        return true;
    });
    std::sort(near.begin(), near.end());
    auto plan = std::make_shared<ReadPlan>();
    plan->selection = selection;
    plan->pieces.reserve(near.size());
    plan->descriptions.reserve(near.size());
    for (const std::size_t i : near) {
        if (const auto common = array::overlap(variable.box(i), selection)) {
            plan->descriptions.push_back(variable.describe(i));
            plan->pieces.push_back({variable.blocks[i].index, &plan->descriptions.back(), *common});
            plan->elements += volume(common->destination.count).value_or(0);
        }
    }
    return plan;
}

}  // namespace

base::Result<> check_is_whole(const ReadPlan& plan, const std::string& variable, std::int64_t step) {
    const std::int64_t asked = volume(shape_of(plan.selection)).value_or(0);
    if (plan.elements < asked) {
        return base::fail(ErrorCode::not_found, "step {}: no rank wrote {} of the {} elements {} of variable '{}'",
                          step, asked - plan.elements, asked, to_string(plan.selection), variable);
    }
    return {};
}

std::shared_ptr<const ReadPlan> ReadPlans::of(const VariableLayout& variable, const Selection& selection) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& plan) { return plan->selection == selection; });
    if (found != kept_.end()) {
        std::rotate(kept_.begin(), found, found + 1);
        return kept_.front();
    }
    kept_.insert(kept_.begin(), make_plan(variable, selection));
    if (kept_.size() > most_kept) {
        kept_.pop_back();
    }
    return kept_.front();
}

}  // namespace staithe::stream
