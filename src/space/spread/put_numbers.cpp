#include "space/spread/put_numbers.hpp"

#include "base/result.hpp"
#include "os/process.hpp"
#include "os/process_identity.hpp"

namespace staithe::space {

PutNumbers::PutNumbers()
    : program_([] {
          static std::atomic<std::int64_t> count{0};  // of this process
          return fmt::format("{}/{}", os::to_string(os::this_process()), ++count);
      }()) {}

store::space::PutId PutNumbers::begin(std::int64_t puts) {
    const std::lock_guard lock(mutex_);
    const std::int64_t first = next_;
    next_ += puts;
    under_way_.insert(first);
    return {program_, first, *under_way_.begin()};
}

void PutNumbers::end(const store::space::PutId& first) {
    const std::lock_guard lock(mutex_);
    under_way_.erase(first.number);
}

}  // namespace staithe::space
