#include "stream/reading/derived/derive.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/conventions.hpp"
#include "stream/reading/derived/derived_source.hpp"
#include "stream/reading/derived/operands.hpp"
#include "transform/expression/expression.hpp"

namespace staithe::stream {
namespace {

using transform::expression::Expression;

base::Result<Operands> find_operands(const Step& step, const Expression& expression) {
    std::vector<const VariableLayout*> operands;
    for (const std::string& name : expression.variables()) {
        operands.push_back(step.layout->find(name));
        if (operands.back() != nullptr) {
            continue;
        }
        std::vector<std::string> names;
        std::ranges::transform(step.layout->variables(), std::back_inserter(names),
                               [](const VariableLayout& each) { return each.description->variable; });
        return base::fail(ErrorCode::not_found, "step {} has no variable '{}', which an expression names; it has {}",
                          step.number, base::printable(name), base::closest(name, names));
    }
    return Operands::of(std::move(operands), expression.text());
}

/// Those of the variable that has its shape. All else that is said of that is about other values.
Attributes names_of_dimensions(const Operands& operands) {
    for (const VariableLayout* const each : operands.variables) {
        const Value* const dims = find(each->description->attributes, format::dims_attribute);
        if (dims != nullptr && (operands.by_block || each->description->shape == operands.shape)) {
            return {{format::dims_attribute, *dims}};
        }
    }
    return {};
}

/// Of ranks as many as those whose blocks they are.
base::Result<std::shared_ptr<const Layout>> layout_of(const Step& step, const Operands& operands,
                                                      const BlockDescription& result) {
    std::vector<Schema> schemas(step.layout->ranks());
    if (operands.leading == nullptr) {
        schemas.front() = {result};
    } else {
        for (std::size_t i = 0; i < operands.leading->blocks.size(); ++i) {
            const PlacedBlock& placed = operands.leading->blocks[i];
            BlockDescription block = result;
            block.box = operands.leading->box(i);
            block.column_major = placed.column_major;
            block.shape = block.local ? block.box.count : result.shape;
            schemas[static_cast<std::size_t>(placed.rank)].push_back(std::move(block));
        }
    }
    std::vector<std::shared_ptr<const Schema>> shared;
    for (Schema& schema : schemas) {
        shared.push_back(std::make_shared<const Schema>(std::move(schema)));
    }
    return Layout::build(std::move(shared));
}

}  // namespace

base::Result<std::shared_ptr<const Step>> derive(const std::shared_ptr<const Step>& step,
                                                 const Expression& expression) {
    auto operands = find_operands(*step, expression);
    if (!operands) {
        return base::fail(std::move(operands));
    }
    std::vector<Dtype> dtypes;
    std::ranges::transform(operands->variables, std::back_inserter(dtypes),
                           [](const VariableLayout* each) { return each->description->dtype; });
    auto program = expression.compile(dtypes);
    if (!program) {
        return base::fail(std::move(program));
    }
    if (!size_in_bytes(operands->shape, program->dtype())) {
        return base::fail(ErrorCode::invalid_argument,
                          "expression '{}' makes an array {}, which is too large for any memory",
                          base::printable(expression.text()), to_string(operands->shape));
    }
    const BlockDescription result{.variable = expression.name(),
                                  .dtype = program->dtype(),
                                  .local = operands->by_block,
                                  .shape = operands->shape,
                                  .box = Box::whole(operands->shape),
                                  .unit = expression.unit(),
                                  .attributes = names_of_dimensions(*operands)};
    auto layout = layout_of(*step, *operands, result);
    if (!layout) {
        return base::fail(std::move(layout));
    }
    auto derived = std::make_shared<Step>();
    derived->number = step->number;
    derived->layout = *std::move(layout);
    derived->blocks.resize(derived->layout->blocks());
    derived->source = std::make_shared<DerivedSource>(step, *std::move(operands), *std::move(program));
    derived->memory = step->memory;
    derived->tracer = step->tracer;
    return derived;
}

}  // namespace staithe::stream
