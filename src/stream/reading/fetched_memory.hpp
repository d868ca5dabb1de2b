// Memory for arrays that are fetched and not shown in place: kept for the next ones when nobody looks at it any more.
//
// A page that is touched for the first time costs more than to receive it. It holds no more than was in use at once,
// and lets go of what nobody has asked for in a while. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace staithe::stream {

class FetchedMemory : public std::enable_shared_from_this<FetchedMemory> {
  public:
    /// Not zeroed.
    std::shared_ptr<std::byte[]> take(std::int64_t bytes);

    /// In use, and kept.
    [[nodiscard]] std::int64_t held_bytes() const;

  private:
    struct Spare {
        std::unique_ptr<std::byte[]> memory;
        std::int64_t bytes = 0;
        std::int64_t since = 0;  // as `takes_` was
    };
    void give_back(std::unique_ptr<std::byte[]> memory, std::int64_t bytes);
    void trim();

    mutable std::mutex mutex_;
    std::vector<Spare> spare_;
    std::int64_t spare_bytes_ = 0;
    std::int64_t used_bytes_ = 0;
    std::int64_t most_used_bytes_ = 0;
    std::int64_t takes_ = 0;
};

}  // namespace staithe::stream
