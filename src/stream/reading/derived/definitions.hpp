// Variables that all steps of a reader have beside those that were put, each defined by an expression.
//
// Each stands for itself in those after it, as names do in Python: "T = T - 273.15; warm = T > 30". Immutable, for any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stream/describing/layout.hpp"
#include "transform/expression/expression.hpp"

namespace staithe::stream {

class Definitions {
  public:
    using Expression = transform::expression::Expression;

    /// Each text has one or more, with ';' between them. `invalid_argument` for what is no expression, or has no name.
    static base::Result<Definitions> parse(const std::vector<std::string>& texts);

    /// What a text means where these names are defined: in terms of what was put.
    [[nodiscard]] base::Result<Expression> expression(std::string_view text) const;
    /// nullptr if there is none of that name.
    [[nodiscard]] const Expression* find(std::string_view name) const;
    /// Whether a step has that: it was put, or what it is computed of.
    [[nodiscard]] bool has(std::string_view name, const Layout& layout) const;
    /// Those of a step.
    [[nodiscard]] std::vector<std::string> names(const Layout& layout) const;

  private:
    std::vector<Expression> all_;
};

}  // namespace staithe::stream
