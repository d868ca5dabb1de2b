// A reader by its descriptor: the turns that it and the thread behind the descriptor take.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "stream/waiting/watcher.hpp"

namespace staithe::stream::live {

class Watching {
  public:
    /// The descriptor, readable as soon as the stream is ready: from now on, or `once`, until the next call.
    base::Result<int> descriptor(bool once, Watched watched);

    /// Before and after every call on the stream.
    void stop();
    void go_on();

    /// For good.
    void end() { watcher_.reset(); }

  private:
    bool keeps_watching_ = false;
    bool watches_next_ = false;
    std::unique_ptr<Watcher> watcher_;
};

}  // namespace staithe::stream::live
