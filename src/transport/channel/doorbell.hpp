// How members wake a director that sleeps, such that none of them can keep another from it.
//
// A pipe and a page. Members hold the pipe's write end, and map the page read-only: there the director says how many of
// its threads sleep, or are about to, as Bell::sleepers does. Nothing that a member can write is read by another. A
// pipe that somebody has filled up is as good as one with a byte in it.
//
//     member, after its change          director
//     full fence                        add one to `sleepers`
//     if `sleepers` is not 0:           full fence
//         write a byte, if it fits      look at all members: news? then do not sleep
//                                       sleep until the pipe has bytes
//                                       take one from `sleepers`
//                                       empty the pipe
//                                       look at all members
//
// Of the two fences one comes first. If it is the member's, the director sees the change when it looks before it
// sleeps. Else the member sees the sleeper, and its byte ends the sleep, or the next one. So nothing is missed, and
// members pay for a call of the kernel only from the moment on that somebody sleeps to the one in which he is awake.
// The director empties the pipe before it looks: a byte that is lost with others was written after a change that it is
// about to see.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "os/pipe.hpp"
#include "os/shared_memory.hpp"

namespace staithe::transport {

/// At the beginning of the page. Zero bytes: nobody sleeps.
struct DoorbellPage {
    std::atomic<std::uint32_t> sleepers;
};
static_assert(sizeof(DoorbellPage) == 4);

/// The director's.
class Doorbell {
  public:
    static base::Result<Doorbell> create();

    /// What a member rings it with: the pipe's write end, then the page.
    struct Button {
        os::FileDescriptor pipe;
        os::FileDescriptor page;
    };
    /// One for each: flags of an open pipe (O_NONBLOCK) are shared by all who have it from the same call.
    [[nodiscard]] base::Result<Button> button() const;

    void add_sleeper() const;
    void remove_sleeper() const;
    /// Readable when somebody has rung.
    [[nodiscard]] const os::FileDescriptor& read_end() const { return pipe_.read_end; }
    void empty() const;
    /// As members do.
    void ring() const;
    /// Even if nobody sleeps.
    void ring_always() const;

  private:
    Doorbell(os::Pipe pipe, os::FileDescriptor file, os::Mapping page);
    [[nodiscard]] DoorbellPage& page() const { return *reinterpret_cast<DoorbellPage*>(page_.data()); }

    os::Pipe pipe_;
    os::FileDescriptor file_;  // of the page, for members that are still to come
    os::Mapping page_;
};

/// A member's.
class DoorbellButton {
  public:
    static base::Result<DoorbellButton> open(Doorbell::Button button);
    void ring() const;

  private:
    DoorbellButton(os::FileDescriptor pipe, os::Mapping page);

    os::FileDescriptor pipe_;
    os::Mapping page_;
};

}  // namespace staithe::transport
