// A reader by its descriptor: what its watcher waits for.
#include "base/log.hpp"
#include "stream/reading/consumer.hpp"

namespace staithe::stream {
namespace {

constexpr base::Seconds until_it_is_hopeless{1.0};

}  // namespace

bool Consumer::has_news() {
    // The loss is looked at first: what was announced before it must not be missed.
    const bool lost = mappings_->membership->lost();
    return collect() || ended_ || lost_rank_ || lost;
}

void Consumer::sleep_until_news(const std::function<bool()>& stop) {
    const auto began = base::Clock::now();
    ask_for_step();
    // Of a reader that holds the whole queue nothing but the end can come, so that next() has an error to tell.
    const base::Deadline deadline(holds_whole_queue() ? until_it_is_hopeless : base::Seconds(base::forever));
    transport::wait(mappings_->membership->bell(), deadline, patience_of_watcher_,
                    [&] { return stop() || has_news(); });
    waited_.add(base::Clock::now() - began);
}

base::Result<int> Consumer::descriptor(bool once) {
    if (closed_) {
        return base::fail(ErrorCode::closed, "stream '{}': this reader is closed", stream_);
    }
    if (!watcher_) {
        auto watcher = Watcher::start({.ready = [this] { return has_news(); },
                                       .sleep = [this](const auto& stop) { sleep_until_news(stop); },
                                       .bell = [this]() -> transport::Bell& { return mappings_->membership->bell(); }});
        if (!watcher) {
            return base::fail(std::move(watcher));
        }
        watcher_ = *std::move(watcher);
    }
    keeps_watching_ = keeps_watching_ || !once;
    watches_next_ = true;
    return watcher_->descriptor();
}

void Consumer::stop_watching() {
    if (watcher_) {
        watcher_->stop();
    }
}

void Consumer::go_on_watching() {
    if (watcher_ && !closed_ && (keeps_watching_ || watches_next_)) {
        watcher_->begin();
    }
    watches_next_ = false;
}

}  // namespace staithe::stream
