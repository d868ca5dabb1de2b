// How fast a link carries bytes, from what its connections have carried while they had something to carry.
//
// The link is at work while any of them has some, which nobody counts: it is taken that they have some at the same
// times as others by chance. All bytes of late over all the time is what counts: time is counted in ticks, of which a
// look sees one too many or one too few, so that means of rates are too high. Knows no sockets.
#pragma once

#include <algorithm>
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

    /// So many are handed to it now.
    void hand(std::int64_t bytes, base::Clock::time_point now);

    [[nodiscard]] double bytes_a_second() const { return 1.0 / seconds_a_byte_; }
    /// How long it takes for what it was handed.
    [[nodiscard]] base::Seconds backlog(base::Clock::time_point now) const {
        return std::max(base::Seconds(free_at_ - now), base::Seconds(0));
    }

  private:
    struct Connection {
        std::int64_t bytes = 0;
        base::Seconds busy{};
        base::Clock::time_point used{};
    };
    [[nodiscard]] base::Seconds takes(std::int64_t bytes) const {
        return base::Seconds(static_cast<double>(bytes) * seconds_a_byte_);
    }

    double seconds_a_byte_ = 1e-10;  // at first, so that nothing is coded before it is known what for
    double carried_bytes_ = 0.0;     // the older the less
    base::Seconds carried_in_{};
    std::map<std::uint64_t, Connection> connections_;
    base::Clock::time_point last_look_{};
    base::Clock::time_point free_at_{};
    // Since the rate was found last:
    std::int64_t bytes_ = 0;
    base::Seconds busy_{};    // of a connection, in the mean
    base::Seconds passed_{};  // without what is sure to have been a pause
};

}  // namespace staithe::store::remote
