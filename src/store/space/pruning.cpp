#include <algorithm>
#include <array>
#include <cstddef>

#include "store/space/predicate.hpp"

namespace staithe::store::space {
namespace {

using Test = Predicate::Test;

Matches matches(bool any, bool all) { return all ? Matches::all : any ? Matches::some : Matches::none; }

Matches opposite(Matches matches) {
    return static_cast<Matches>(static_cast<int>(Matches::all) - static_cast<int>(matches));
}

/// Of elements that have these statistics.
Matches judge_test(const Test& test, const Statistics& block) {
    if (test.relation == Relation::is_nan) {
        return matches(block.nans > 0, block.nans == block.count);
    }
    if (test.relation == Relation::equal || test.relation == Relation::not_equal) {
        const bool any = block.min <= test.constant && test.constant <= block.max;
        // Nothing is known of imaginary parts.
        const bool all = any && block.min == block.max && block.nans == 0 && test.dtype < Dtype::c64;
        const Matches equal = matches(any, all);
        return test.relation == Relation::equal ? equal : opposite(equal);
    }
    if (block.nans == block.count) {
        return Matches::none;
    }
    const bool of_min = holds(test.relation, block.min, test.constant);
    const bool of_max = holds(test.relation, block.max, test.constant);
    return matches(of_min || of_max, of_min && of_max && block.nans == 0);
}

}  // namespace

Matches Predicate::judge(std::span<const Statistics> block) const {
    if (decided_) {
        return *decided_ ? Matches::all : Matches::none;
    }
    std::array<Matches, max_operands> stack{};
    std::size_t depth = 0;
    for (const Step& step : steps_) {
        switch (step.kind) {
            case Step::Kind::term: {
                const Test& test = tests_[step.term];
                stack[depth++] = judge_test(test, block[test.variable]);
                break;
            }
            case Step::Kind::negate: stack[depth - 1] = opposite(stack[depth - 1]); break;
            case Step::Kind::both:
                --depth;
                stack[depth - 1] = std::min(stack[depth - 1], stack[depth]);
                break;
            case Step::Kind::either:
                --depth;
                stack[depth - 1] = std::max(stack[depth - 1], stack[depth]);
                break;
        }
    }
    return stack[0];
}

}  // namespace staithe::store::space
