// Texts of expressions, compiled for variables of all dtypes and evaluated on any bytes; parts of variables of any
// small shapes.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fuzz/bytes.hpp"
#include "transform/expression/expression.hpp"
#include "transform/expression/parts.hpp"

using namespace staithe;
using transform::expression::Expression;

namespace {

const Extents shape{3, 2};

void evaluate(const Expression& expression, fuzz::Bytes bytes) {
    constexpr std::size_t longest = 8;
    const std::size_t count = expression.variables().size();
    if (count > longest) {
        return;
    }
    std::vector<Dtype> dtypes;
    std::array<std::array<std::byte, 6 * 32>, longest> memory{};
    std::vector<ArrayView> views;
    for (std::size_t i = 0; i < count; ++i) {
        const auto code = bytes.empty() ? 0U : static_cast<unsigned>(bytes[0]) % dtype_count;
        bytes = bytes.subspan(std::min<std::size_t>(bytes.size(), 1));
        dtypes.push_back(*dtype_from_code(code));
        std::copy_n(bytes.begin(), std::min(bytes.size(), memory[i].size()), memory[i].begin());
        views.push_back(ArrayView::row_major(memory[i].data(), dtypes.back(), shape));
    }
    const auto program = expression.compile(dtypes);
    if (!program) {
        fuzz::require(!program.error().message.empty(), "an error says what is wrong");
        return;
    }
    alignas(16) std::array<std::byte, 6 * 32> result{};
    fuzz::require(
        program->evaluate(views, MutableArrayView::row_major(result.data(), program->dtype(), shape)).has_value(),
        "a program that was compiled runs");
}

unsigned take_below(unsigned limit, fuzz::Bytes& bytes) {
    const unsigned taken = bytes.empty() ? 0U : static_cast<unsigned>(bytes[0]) % limit;
    bytes = bytes.subspan(std::min<std::size_t>(bytes.size(), 1));
    return taken;
}

/// What they select lies in the variables, whatever is read of what is made.
void take_parts(const Expression& expression, fuzz::Bytes bytes) {
    constexpr unsigned most_dimensions = 4;
    constexpr unsigned longest = 5;
    std::vector<Extents> shapes(expression.variables().size());
    for (Extents& each : shapes) {
        each.resize(take_below(most_dimensions + 1, bytes));
        std::ranges::generate(each, [&] { return take_below(longest, bytes); });
    }
    const auto parts = parts_of(expression, shapes);
    if (!parts) {
        fuzz::require(parts.error().code == ErrorCode::invalid_argument, "what does not fit is refused");
        return;
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Selection read = parts->of[i].selected_by(Selection::all(parts->shape));
        fuzz::require(fits(parts->of[i].selection, shapes[i]) && fits(read, shapes[i]), "a part is one of its array");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes = fuzz::bytes_of(data, size);
    const fuzz::Bytes text = fuzz::take_part(bytes);
    const auto expression = Expression::parse({reinterpret_cast<const char*>(text.data()), text.size()});
    if (expression) {
        for (const Expression& each : expression->merged()) {
            evaluate(each, bytes);
            take_parts(each, bytes);
        }
    } else {
        fuzz::require(expression.error().code == ErrorCode::invalid_argument, "a text that is wrong is refused");
    }
    return 0;
}
