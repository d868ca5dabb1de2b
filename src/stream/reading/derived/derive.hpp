// A variable that nobody wrote: computed from those of a step, element by element, when it is looked at.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "stream/reading/step.hpp"
#include "transform/expression/expression.hpp"

namespace staithe::stream {

/// A step of that one variable, which keeps the one that it is made of. Its blocks are those of a variable that has its
/// shape, or one where none has. `invalid_argument` for what does not go together; `not_found` for names that the step
/// does not have.
base::Result<std::shared_ptr<const Step>> derive(const std::shared_ptr<const Step>& step,
                                                 const transform::expression::Expression& expression);

}  // namespace staithe::stream
