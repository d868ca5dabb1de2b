// A circle of lockers that wait for each other at several servers, none of which sees all of it.
//
// Who waits looks for it now and then: for whom it waits, for whom these wait, and so on, until it finds itself. What
// servers say is of different moments, so only a circle that is seen in two looks, one after the other, is one: each of
// its locks was there all the time from the first to the second. One of its holders gives up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/space/lock_circles.hpp"

namespace staithe::space {

class LockCircle {
  public:
    /// How holders wait at a server, by its rank (`store::space::find_ways_out`).
    using Ask = std::function<base::Result<std::vector<store::space::WayOut>>(
        int rank, const std::vector<std::string>& holders, const std::string& target)>;
    /// `holder`: who waits, by its key.
    LockCircle(std::string holder, int servers, Ask ask)
        : holder_(std::move(holder)), servers_(servers), ask_(std::move(ask)) {}

    /// `deadlock` if it is in a circle and is the one that has to give up.
    base::Result<> look();

  private:
    struct Step {
        int rank = 0;
        store::space::WayOut::Step step;
    };
    /// By which it waits for itself; empty: it does not, as far as servers answer.
    [[nodiscard]] std::vector<Step> find() const;

    const std::string holder_;
    const int servers_;
    const Ask ask_;
    std::vector<Step> last_;
};

}  // namespace staithe::space
