// A condition whose names are known: variables of one shape, and the attributes of one version.
//
// What attributes decide is decided when it is made, once; what is left looks at elements alone, and cannot fail:
// blocks are then judged by their statistics, and their elements selected.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/value.hpp>

#include "store/space/condition.hpp"
#include "store/space/statistics.hpp"

namespace staithe::store::space {

/// Of a block's elements.
enum class Matches : std::uint8_t { none, some, all };

class Predicate {
  public:
    /// A comparison of each element with a number that its dtype has.
    struct Test {
        std::uint32_t variable = 0;  // which of variables()
        Dtype dtype = Dtype::f64;
        Relation relation = Relation::equal;
        Number constant = 0;
    };

    /// Names are of variables, or else of attributes. Fails with `not_found` if a name is of neither, and with
    /// `invalid_argument` if it does not compare with what the condition compares it with.
    static base::Result<Predicate> make(const Condition& condition, const std::map<std::string, Dtype>& variables,
                                        const Attributes& attributes);

    /// Whether it holds for any elements, or for none, as the attributes alone say; then there are no variables.
    [[nodiscard]] std::optional<bool> decided() const { return decided_; }
    /// Whose elements it depends on, each once.
    [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }
    [[nodiscard]] const std::vector<Test>& tests() const { return tests_; }
    /// Of tests(). None if it is decided.
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

    /// How many elements of a block match, as far as the statistics of each of variables() tell: `none` and `all` are
    /// certain, `some` is not.
    [[nodiscard]] Matches judge(std::span<const Statistics> block) const;

  private:
    std::optional<bool> decided_;
    std::vector<std::string> variables_;
    std::vector<Test> tests_;
    std::vector<Step> steps_;
};

/// Marks the elements of a block that match by 1, the others by 0, in C order, and returns how many do. `block` has an
/// array of that shape for each of variables(), of its dtype; `mask` has a byte for each element.
std::int64_t select(const Predicate& predicate, std::span<const ArrayView> block, const Extents& shape,
                    std::span<std::uint8_t> mask);

}  // namespace staithe::store::space
