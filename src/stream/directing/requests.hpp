// What processes ask a director for, taken from their messages.
#pragma once

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "stream/directing/director_settings.hpp"
#include "stream/directing/step_queue.hpp"

namespace staithe::stream {

/// Whether a reader rank asks that has read the stream before its writer died.
[[nodiscard]] bool goes_on(const Attributes& request);

/// The group that a reader rank asks to join, as if it were the first of its ranks.
base::Result<StepQueue::GroupWish> read_group_wish(const Attributes& request, const DirectorSettings& settings);

}  // namespace staithe::stream
