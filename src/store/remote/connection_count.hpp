// How many connections to an owner are worth it, found by what came over them: more where each is held back on its way,
// one where the processors or the cable are the limit. Knows neither sockets nor clocks.
#pragma once

#include <cstdint>

#include "base/deadline.hpp"

namespace staithe::store::remote {

class ConnectionCount {
  public:
    /// Between these; equal: so many always.
    ConnectionCount(int least, int most) : now_(least), kept_(least), most_(most) {}

    /// For the next fetch.
    [[nodiscard]] int now() const { return now_; }
    /// What a fetch took over so many.
    void took(int connections, std::int64_t bytes, base::Seconds time);

  private:
    /// Soon, since a machine that was busy for a moment may have spoilt the first try; each time later, where more are
    /// not worth it again.
    static constexpr int first_pause = 8;

    int now_;
    int kept_;  // the most that were worth it
    const int most_;
    double best_rate_ = 0.0;   // over those
    double tried_rate_ = 0.0;  // at last, over more that are not worth it so far
    int left_ = 0;             // fetches until more are tried again
    int pause_ = first_pause;  // of so many, after the next try that fails
};

}  // namespace staithe::store::remote
