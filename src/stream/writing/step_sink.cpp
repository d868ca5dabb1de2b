#include "stream/writing/step_sink.hpp"

namespace staithe::stream {

LentBlock::~LentBlock() {
    if (!published) {
        pool->free(block.memory);
    }
}

base::Result<> LentBlock::check_publishable(const StepDraft& in, bool is_own) const {
    return is_own && in.number == step && !published
               ? base::Result<>()
               : base::fail(ErrorCode::invalid_argument,
                            "the loan of '{}' belongs to another step or was published before", description.variable);
}

}  // namespace staithe::stream
