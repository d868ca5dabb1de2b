#include "store/remote/evaluating.hpp"

#include <algorithm>

#include "transform/expression/tiles.hpp"
#include "transform/helpers.hpp"

namespace staithe::store::remote {
namespace {

/// How an operand lies in its block, along the dimensions of what is made.
struct Lies {
    std::int64_t first = 0;  // byte
    Extents strides{};
};

Lies lies(const Operand& operand) {
    const ArrayView block = operand.piece.description->view(nullptr);
    const Selection& source = operand.piece.overlap.source;
    Lies lies;
    for (std::size_t i = 0; i < source.size(); ++i) {
        lies.first += source[i].start * block.strides[i];
    }
    for (const std::size_t dimension : operand.along) {
        lies.strides.push_back(dimension == Operand::nowhere ? 0 : source[dimension].step * block.strides[dimension]);
    }
    return lies;
}

/// Without dimensions of length 1.
Extents without_single(const Extents& of, const Extents& shape) {
    Extents others;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] != 1) {
            others.push_back(of[i]);
        }
    }
    return others;
}

/// Whoever asks cuts into units that are about alike.
constexpr std::int64_t most_taken = 4 * most_operations;

}  // namespace

Transfer transfer_of(const Evaluated& piece, std::span<const BlockRef> refs, void* to) {
    const Extents& shape = piece.to.shape;
    Transfer transfer{
        .piece = &piece.operands.front().piece,
        .ref = refs[piece.operands.front().piece.block],
        .stored = piece.formula->dtype,
        .destination = {to, piece.to.dtype, without_single(shape, shape), without_single(piece.to.strides, shape)},
        .operations = piece.formula->operations};
    for (const Operand& operand : piece.operands) {
        const auto [first, strides] = lies(operand);
        if (&operand == &piece.operands.front()) {
            transfer.first = first;
            transfer.strides = without_single(strides, shape);
        } else {
            transfer.others.push_back({refs[operand.piece.block], first, without_single(strides, shape)});
        }
    }
    return transfer;
}

base::Result<const transform::expression::Program*> Evaluating::program_of(const Computed& computed) {
    if (!last_ || last_->first != computed) {
        const auto expression = transform::expression::Expression::parse(computed.formula);
        if (!expression) {
            return base::fail(expression);
        }
        if (expression->merge() || expression->variables().size() != computed.operands.size()) {
            return base::fail(ErrorCode::invalid_argument, "the formula is not of that many operands");
        }
        auto program = expression->compile(computed.operands);
        if (!program) {
            return base::fail(std::move(program));
        }
        last_.emplace(computed, *std::move(program));
    }
    return &last_->second;
}

base::Result<std::int64_t> Evaluating::operations_of(const Computed& computed, std::int64_t elements) {
    const auto program = program_of(computed);
    if (!program) {
        return base::fail(program);
    }
    return elements <= most_taken / (*program)->operations()
               ? base::Result<std::int64_t>(elements * (*program)->operations())
               : base::fail(ErrorCode::invalid_argument, "that is more than is computed at once");
}

base::Result<std::vector<std::byte>> Evaluating::evaluate(const Computed& computed, Dtype dtype,
                                                          std::span<const ArrayView> operands) {
    const auto program = program_of(computed);
    if (!program) {
        return base::fail(program);
    }
    if ((*program)->dtype() != dtype || !std::ranges::all_of(operands, transform::expression::is_aligned)) {
        return base::fail(ErrorCode::invalid_argument, "the formula makes something else, or its operands lie wrong");
    }
    const Extents& shape = operands.front().shape;
    std::vector<std::byte> made(static_cast<std::size_t>(size_in_bytes(shape, dtype).value()));
    const auto done = (*program)->evaluate(operands, MutableArrayView::row_major(made.data(), dtype, shape),
                                           transform::background_threads);
    return done ? base::Result<std::vector<std::byte>>(std::move(made)) : base::fail(done);
}

}  // namespace staithe::store::remote
