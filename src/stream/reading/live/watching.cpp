#include "stream/reading/live/watching.hpp"

#include <utility>

namespace staithe::stream::live {

base::Result<int> Watching::descriptor(bool once, Watched watched) {
    if (!watcher_) {
        auto watcher = Watcher::start(std::move(watched));
        if (!watcher) {
            return base::fail(std::move(watcher));
        }
        watcher_ = *std::move(watcher);
    }
    keeps_watching_ = keeps_watching_ || !once;
    watches_next_ = true;
    return watcher_->descriptor();
}

void Watching::stop() {
    if (watcher_) {
        watcher_->stop();
    }
}

void Watching::go_on() {
    if (watcher_ && (keeps_watching_ || watches_next_)) {
        watcher_->begin();
    }
    watches_next_ = false;
}

}  // namespace staithe::stream::live
