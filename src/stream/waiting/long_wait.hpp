// Waits for what living peers do: the next step, room in the queue, the end of a stream.
//
// Nobody waits for the dead, the absent or in a circle. Who waits for a living peer goes on, however long it takes, and
// says so once a minute; of somebody who has not come, after ten seconds, too. An explicit timeout always holds. A wait
// of more than a moment looks once a second whom it is for, leaves a note of that, and fails
//   - as `deadlock`, if it is part of a circle of waiting, which it prints;
//   - as `timeout`, if it is for processes that are stopped or do not answer, or for somebody who has not opened the
//     stream, and the default timeout has passed;
//   - as `peer_lost`, if the program that was to open the stream has ended.
// A wait whose timeout the user has chosen ends by that, by a circle, or since the program that was to come has ended.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/interruption.hpp"
#include "base/result.hpp"
#include "stream/waiting/awaited.hpp"
#include "stream/waiting/stream_users.hpp"
#include "stream/waiting/waiting_note.hpp"
#include "transport/endpoint.hpp"
#include "transport/waitable.hpp"

namespace staithe::stream {

class LongWait {
  public:
    struct Subject {
        std::string stream;
        std::string role;   // "reader rank 0"
        std::string wants;  // "the next step of"
        std::shared_ptr<transport::Endpoint> endpoint;
        std::function<base::Result<Awaited>()> whom;  // `timeout`: the director does not answer
        bool has_chosen_timeout = false;
    };

    /// Shorter waits are nobody's business.
    static constexpr base::Seconds until_first_look{1.0};
    static constexpr base::Seconds between_looks{1.0};

    LongWait(Subject subject, base::Clock::time_point began);

    /// Once a second, however often it is called: fails if the wait should.
    base::Result<> look();

  private:
    base::Result<> check_presence(const Awaited& awaited);
    [[nodiscard]] bool is_here(const transport::Peer& peer) const;
    base::Result<> check_answers(const base::Result<Awaited>& awaited);
    base::Result<> check_circles(const Awaited& awaited);
    [[nodiscard]] NotedWait note_of(const Awaited& awaited);
    void tell(const Awaited& awaited);
    [[nodiscard]] double seconds() const { return base::Seconds(base::Clock::now() - began_).count(); }

    const Subject subject_;
    const base::Clock::time_point began_;
    std::optional<WaitingThread> waiting_;  // once the note says why
    const WaitingNote note_;
    base::Clock::time_point last_look_ = base::Clock::now();
    double used_by_thread_;  // processor time in seconds, until then: of the thread that waits
    double used_by_work_;    // of the process, but for what waits have used
    std::optional<base::Clock::time_point> silent_since_;
    std::string circle_;  // that the last look found, and when
    double circle_found_ = 0.0;
    bool all_must_come_ = false;  // who is absent: no other program could come in the place of one
    int minutes_told_ = 0;
    bool absence_told_ = false;
};

/// Waits there until `ready()`, the deadline or an interruption, and returns the last `ready()`; or fails as said
/// above. `subject()` gives the LongWait::Subject, if it comes to that. `until_next_question()` is how long to sleep at
/// most before `ready` is asked again, without the bell.
template <class Ready, class Subject>
base::Result<bool> wait_for_peers(
    transport::Waitable& news, const base::Deadline& deadline, transport::Patience& patience, Ready&& ready,
    Subject&& subject,
    const std::function<base::Seconds()>& until_next_question = [] { return LongWait::between_looks; }) {
    const auto began = base::Clock::now();
    std::optional<LongWait> wait;
    std::optional<transport::Patience::Sleep> asleep;
    for (;;) {
        const base::Deadline next(std::min(base::Seconds(deadline.left()), until_next_question()));
        if (news.wait(next, patience, ready)) {
            return true;
        }
        // It comes back before its time only if the program wants this call back.
        if (deadline.passed() || !next.passed() || base::interrupted()) {
            return false;
        }
        if (!wait && base::Clock::now() - began >= LongWait::until_first_look) {
            wait.emplace(subject(), began);
            asleep.emplace(patience, began);
        }
        if (auto looked = wait ? wait->look() : base::Result<>(); !looked) {
            return ready() ? base::Result<bool>(true) : base::fail(std::move(looked));
        }
    }
}

}  // namespace staithe::stream
