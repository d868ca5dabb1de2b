// How fast a link carries bytes, from what its connections have carried while they had something to carry.
//
// Connections that are used side by side share the link, so the time of each counts for a part. Knows no sockets.
#pragma once

#include <cstdint>
#include <map>

#include "base/deadline.hpp"

namespace staithe::store::remote {

class LinkRate {
  public:
    /// The connection of that number has carried so many bytes in all, while it had some for so much time.
    void look(std::uint64_t connection, std::int64_t bytes, base::Seconds busy, base::Clock::time_point now);
    /// It has gone.
    void forget(std::uint64_t connection) { connections_.erase(connection); }

    [[nodiscard]] double bytes_a_second() const { return rate_; }

  private:
    struct Connection {
        std::int64_t bytes = 0;
        base::Seconds busy{};
        base::Clock::time_point used{};
    };
    double rate_ = 1e10;  // at first, so that nothing is coded before it is known what for
    bool is_known_ = false;
    std::map<std::uint64_t, Connection> connections_;
    // Since the rate was found last:
    std::int64_t bytes_ = 0;
    base::Seconds time_{};
};

}  // namespace staithe::store::remote
