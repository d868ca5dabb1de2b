// Whether the process at the other end of a link between hosts is still there.
//
// A process that ends is told of by its host's kernel. A host that was cut off or powered off tells nothing: it is lost
// when its kernel has acknowledged nothing for five seconds. A kernel that answers for a process that says nothing
// (stopped, swapped out) makes it *stalled*: that is reported, and it is lost after a minute. All times are the
// kernel's, so that a program that was stopped itself does not take others for lost when it goes on.
#pragma once

#include <optional>
#include <string>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/tcp.hpp"

namespace staithe::transport {

/// A message with this field says nothing but that its sender is there.
constexpr const char* heartbeat_field = "here";

class Heartbeat {
  public:
    /// Between the messages of a link that has nothing else to say.
    static constexpr base::Seconds interval{1.0};
    static constexpr base::Seconds host_is_lost{5.0};
    static constexpr base::Seconds process_is_stalled{5.0};
    static constexpr base::Seconds process_is_lost{60.0};

    struct Verdict {
        std::optional<base::Failure> lost;
        std::string news;  // for the log; empty: none
        base::Seconds look_again = interval;
    };
    Verdict judge(const os::Silence& silence);
    /// Whether the other host is lost, by what its kernel does not acknowledge on a connection of whatever kind.
    static bool is_host_lost(const os::Silence& silence);
    /// Whether it is time for the next one; if so, it is taken for sent.
    bool is_due();

  private:
    base::Clock::time_point last_;
    bool is_stalled_ = false;
};

}  // namespace staithe::transport
