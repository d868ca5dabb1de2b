// The public edge of reductions over steps.
#include <staithe/running_reduction.hpp>

#include <string>
#include <utility>

#include "base/text.hpp"
#include "store/reducing/reduction.hpp"
#include "stream/reading/reduced.hpp"
#include "stream/reading/step.hpp"

namespace staithe {

namespace stream {

struct Running {
    std::string how;
    std::optional<std::vector<std::int64_t>> axes;
    std::optional<store::reducing::Reduction> all{};  // of what was added
    std::int64_t steps = 0;
};

}  // namespace stream

RunningReduction::RunningReduction(const std::string& how, const std::optional<std::vector<std::int64_t>>& axes)
    : running_(std::make_unique<stream::Running>(stream::Running{.how = how, .axes = axes})) {
    static_cast<void>(base::value_or_raise(store::reducing::parse_recipe(how)));
}

RunningReduction::RunningReduction(RunningReduction&&) noexcept = default;
RunningReduction& RunningReduction::operator=(RunningReduction&&) noexcept = default;
RunningReduction::~RunningReduction() = default;

void RunningReduction::add(const Variable& variable, const std::optional<Selection>& selection) {
    add_along(running_->axes, variable, selection);
}

void RunningReduction::add(const Variable& variable, const Selection& selection,
                           const std::optional<std::vector<std::int64_t>>& axes) {
    add_along(axes, variable, selection);
}

void RunningReduction::add_along(const std::optional<std::vector<std::int64_t>>& axes, const Variable& variable,
                                 const std::optional<Selection>& selection) {
    auto next = variable.reduced(running_->how, selection, axes).reduction;
    if (!running_->all) {
        running_->all = std::move(next);
    } else if (const auto added = running_->all->add(next); !added) {
        base::raise({added.error().code, fmt::format("variable '{}', step {}: {}", variable.name(),
                                                     variable.step_->number, added.error().message)});
    }
    ++running_->steps;
}

View RunningReduction::result() const {
    if (!running_->all) {
        base::raise({ErrorCode::invalid_argument,
                     fmt::format("there is no {} yet, since nothing was added: add the variable of a step",
                                 base::printable(running_->how))});
    }
    return base::value_or_raise(stream::result_of(*running_->all));
}

std::int64_t RunningReduction::steps() const { return running_->steps; }

}  // namespace staithe
