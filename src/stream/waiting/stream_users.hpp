// Which threads of this process use which streams, and which of them wait: so that others can tell whether this process
// will still do its part in a stream.
//
// Process-wide, thread-safe. A thread uses a stream once it has opened it, begun a step of it, or asked for one.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

namespace staithe::stream {

/// Of one Writer or Reader.
class StreamUse {
  public:
    /// This thread uses the stream, too.
    explicit StreamUse(std::string stream);
    ~StreamUse();
    StreamUse(const StreamUse&) = delete;
    StreamUse& operator=(const StreamUse&) = delete;

    /// Costs next to nothing for the thread that did so last.
    void by_this_thread();

  private:
    const std::string stream_;
    std::atomic<int> last_user_{0};
};

/// While it lives this thread waits in a call.
class WaitingThread {
  public:
    WaitingThread();
    ~WaitingThread();
    WaitingThread(const WaitingThread&) = delete;
    WaitingThread& operator=(const WaitingThread&) = delete;

  private:
    const int thread_;
};

/// The streams that get nothing more from this process for as long as these threads wait: every thread that uses them
/// does.
[[nodiscard]] std::vector<std::string> held_up_streams();

/// The streams that this process was launched to write ("writes") or read ("reads") and has not opened, with the number
/// of ranks of its program, if its main thread waits.
[[nodiscard]] std::map<std::string, int> unopened_streams(const std::string& purpose);

}  // namespace staithe::stream
