// What goes to one process over all its connections for blocks, for those who report. Thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/deadline.hpp"
#include "monitor/span.hpp"
#include "store/remote/by_offer.hpp"
#include "store/remote/link_rate.hpp"
#include "store/remote/messages.hpp"
#include "transform/choosing/chooser.hpp"

namespace staithe::store::remote {

class Traffic {
  public:
    Traffic() = default;
    /// Whose spans are of that stream and rank.
    explicit Traffic(const monitor::Tracer& tracer) : tracer(tracer) {}
    Traffic(const Traffic&) = delete;
    Traffic& operator=(const Traffic&) = delete;

    const monitor::Tracer tracer{};

    /// What came of an offer to take something coded.
    struct Coded {
        transform::Chooser chooser;
        transform::SeenRegions seen{};
        double decode = 0.0;  // seconds for a byte of data, as the peer said last; 0: it has not
    };
    /// Bytes handed to sockets, and how long that took the processor.
    struct Passed {
        std::int64_t bytes = 0;
        base::Seconds time{};

        /// Seconds for a byte: no more than those of a few calls, at first.
        [[nodiscard]] double seconds_a_byte() const {
            constexpr std::int64_t enough_bytes = 512 << 10;
            return time.count() / static_cast<double>(std::max(bytes, enough_bytes));
        }
    };
    struct Figures {
        int connections = 0;
        std::int64_t pieces = 0;  // that were asked for, and do not go out yet
        std::int64_t bytes = 0;
        base::Seconds busy{};  // of all connections together, while there was something to send
        std::string congestion_control{};
        ByOffer<Coded> coded{};
        std::optional<LinkRate> link{};  // nothing: nobody has looked
        Passed passed{};                 // by those that may have something to code

        /// Over as many connections as there are, while there was something to send.
        [[nodiscard]] double bytes_a_second() const {
            return busy > base::Seconds(0) ? static_cast<double>(bytes) / busy.count() * connections : 0.0;
        }
    };
    [[nodiscard]] Figures figures() const {
        const std::lock_guard lock(mutex_);
        return figures_;
    }
    template <class Change>
    void change(Change&& by) {
        const std::lock_guard lock(mutex_);
        by(figures_);
    }
    /// What was learnt of ways to code, where that is wanted, unless that was done just before: it writes a file.
    void save_models();

  private:
    mutable std::mutex mutex_;
    Figures figures_;
    std::optional<base::Clock::time_point> saved_{};
};

}  // namespace staithe::store::remote
