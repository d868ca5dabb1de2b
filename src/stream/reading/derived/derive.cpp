#include "stream/reading/derived/derive.hpp"

#include <utility>
#include <vector>

#include "format/conventions.hpp"
#include "stream/reading/derived/composition.hpp"
#include "stream/reading/derived/derived_source.hpp"
#include "transform/expression/expression.hpp"

namespace staithe::stream {
namespace {

using transform::expression::Expression;

/// All else that is said of variables is about other values.
Attributes attributes_of(const Composition& composition) {
    List names = composition.names_of_dimensions();
    return names.empty() ? Attributes() : Attributes{{format::dims_attribute, std::move(names)}};
}

/// Of ranks as many as those whose blocks they are.
base::Result<std::shared_ptr<const Layout>> layout_of(const Step& step, const Composition& composition,
                                                      const BlockDescription& result) {
    std::vector<Schema> schemas(step.layout->ranks());
    for (const Operands::Block& each : composition.blocks()) {
        BlockDescription block = result;
        block.box = each.box;
        block.column_major = each.column_major;
        block.shape = block.local ? block.box.count : result.shape;
        schemas[static_cast<std::size_t>(each.rank)].push_back(std::move(block));
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
    auto composition = Composition::of(*step, expression);
    if (!composition) {
        return base::fail(std::move(composition));
    }
    const BlockDescription result{.variable = expression.name(),
                                  .dtype = composition->dtype(),
                                  .local = composition->by_block(),
                                  .shape = composition->shape(),
                                  .box = Box::whole(composition->shape()),
                                  .unit = expression.unit(),
                                  .attributes = attributes_of(*composition)};
    auto layout = layout_of(*step, *composition, result);
    if (!layout) {
        return base::fail(std::move(layout));
    }
    auto derived = std::make_shared<Step>();
    derived->number = step->number;
    derived->layout = *std::move(layout);
    derived->blocks.resize(derived->layout->blocks());
    derived->source = std::make_shared<DerivedSource>(step, *std::move(composition));
    derived->memory = step->memory;
    derived->tracer = step->tracer;
    return derived;
}

}  // namespace staithe::stream
