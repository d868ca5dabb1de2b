// How far a writer runs ahead of its readers where the user has left the depth of the queue to us.
//
// A step that is read soon after it was written comes out of the cache, and its memory is warm for the next one. With
// steps that take turns in eight slots nothing is warm, and both sides are up to two and a half times slower. So a
// writer whose steps are large waits for its readers when two are in the queue: but no longer than cold memory would
// cost, since the queue is there for readers that are slow at times. See docs/design/performance.md.
#pragma once

#include <cstdint>

#include "base/deadline.hpp"

namespace staithe::stream {

class RunAhead {
  public:
    /// With so many steps in the queue the memory of the next one, of so many bytes, would be cold.
    [[nodiscard]] static bool is_far(std::int64_t steps, std::int64_t step_bytes);
    /// How long waiting for warm memory pays: not at all after it has been in vain again and again.
    [[nodiscard]] base::Seconds worth_waiting(std::int64_t step_bytes);
    /// Whether a step came back meanwhile.
    void waited(bool came_back) { in_vain_ = came_back ? 0 : in_vain_ + 1; }

  private:
    int in_vain_ = 0;
};

}  // namespace staithe::stream
