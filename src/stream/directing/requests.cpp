#include "stream/directing/requests.hpp"

#include <utility>

#include "stream/directing/protocol.hpp"

namespace staithe::stream {

bool goes_on(const Attributes& request) {
    const Value* value = find(request, "goes_on");
    return value != nullptr && value->as_bool().value_or(false);
}

base::Result<StepQueue::GroupWish> read_group_wish(const Attributes& request, const DirectorSettings& settings) {
    const auto size = integer_field(request, "size", 1, most_ranks);
    auto program = text_field(request, "program");
    auto group_id = text_field(request, "group");
    const auto overflow = text_field(request, "overflow");
    const auto start = integer_field(request, "start", start_next, INT64_MAX);
    if (!size || !program || !group_id || !overflow || !start) {
        return base::fail(ErrorCode::protocol, "a reader rank's request is garbled");
    }
    StepQueue::GroupWish wish;
    wish.overflow = settings.overflow;
    if (!overflow->empty()) {
        const auto own = parse_overflow(*overflow);
        if (!own) {
            return base::fail(own);
        }
        if (auto checked = check_overflow(*own, settings.queue.steps); !checked) {
            return base::fail(std::move(checked));
        }
        wish.overflow = *own;
    }
    wish.is_inline = *group_id == settings.group_id + inline_group;
    wish.program = *std::move(program);
    wish.id = *std::move(group_id);
    wish.size = static_cast<int>(*size);
    wish.start = *start;
    wish.goes_on = goes_on(request);
    return wish;
}

}  // namespace staithe::stream
