// By which a program's puts are known to servers that go on for each other: a put that is asked for again has the same.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "store/space/catalog.hpp"

namespace staithe::space {

class PutNumbers {
  public:
    PutNumbers();
    /// The first of so many that follow each other.
    store::space::PutId begin(std::int64_t puts = 1);
    /// All of them were answered, or are not asked for again.
    void end(const store::space::PutId& first);

  private:
    const std::string program_;
    std::mutex mutex_;
    std::int64_t next_ = 1;
    std::set<std::int64_t> under_way_;  // the first numbers
};

}  // namespace staithe::space
