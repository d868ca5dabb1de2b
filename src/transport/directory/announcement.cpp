#include "transport/directory/announcement.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "os/fork.hpp"
#include "transport/directory/inquiry.hpp"

namespace staithe::transport {
namespace {

using namespace std::chrono_literals;

constexpr base::Seconds longest_attempt_to_tell{2.0};
// Between two attempts: often at first, since programs are started together.
constexpr auto first_pause = 50ms;
constexpr auto last_pause = 1000ms;

}  // namespace

base::Result<std::shared_ptr<Announcement>> Announcement::start(std::shared_ptr<Endpoint> endpoint, Entry entry,
                                                                const std::vector<Address::HostPort>& addresses) {
    auto announcement = os::kept_at_home(new Announcement(std::move(endpoint), std::move(entry), addresses));
    try {
        announcement->thread_ = std::thread([raw = announcement.get()] { raw->run(); });
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached, "cannot start the thread that announces {}: {}; raise `ulimit -u`",
                          announcement->entry_.title(), error.what());
    }
    return announcement;
}

Announcement::Announcement(std::shared_ptr<Endpoint> endpoint, Entry entry,
                           const std::vector<Address::HostPort>& addresses)
    : endpoint_(std::move(endpoint)), entry_(std::move(entry)) {
    for (const Address::HostPort& each : addresses) {
        listeners_.push_back({Address(each)});
    }
}

Announcement::~Announcement() {
    {
        const std::lock_guard lock(news_->mutex);
        news_->stopping = true;
    }
    news_->changed.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
    for (const Listener& listener : listeners_) {
        if (listener.link) {
            static_cast<void>(tell_that_gone(*listener.link, entry_));
        }
    }
}

void Announcement::run() {
    auto pause = first_pause;
    for (;;) {
        for (Listener& listener : listeners_) {
            try {
                tell(listener);
            } catch (const std::exception& error) {
                base::log(base::LogLevel::error, "{} was not announced: {}", entry_.title(), error.what());
            }
        }
        const bool all_know = std::ranges::all_of(
            listeners_, [](const Listener& listener) { return listener.link || listener.is_this_process; });
        std::unique_lock lock(news_->mutex);
        const auto has_news = [&] { return news_->stopping || news_->lost_one; };
        if (all_know) {
            news_->changed.wait(lock, has_news);
            pause = first_pause;
        } else {
            news_->changed.wait_for(lock, pause, has_news);
            pause = std::min<std::chrono::milliseconds>(2 * pause, last_pause);
        }
        if (news_->stopping) {
            return;
        }
        news_->lost_one = false;
    }
}

void Announcement::tell(Listener& listener) {
    if (listener.is_this_process || (listener.link && listener.link->is_open())) {
        return;
    }
    listener.link = nullptr;
    {
        const std::lock_guard lock(news_->mutex);
        if (news_->stopping) {
            return;
        }
    }
    auto link = endpoint_->connect(listener.address, base::Deadline(longest_attempt_to_tell));
    if (link && (*link)->process() == to_string(os::this_process())) {
        listener.is_this_process = true;
        return;
    }
    if (link) {
        listener.on_close = (*link)->on_close([news = news_] {
            {
                const std::lock_guard lock(news->mutex);
                news->lost_one = true;
            }
            news->changed.notify_all();
        });
    }
    const auto told = link ? tell_of(**link, entry_) : base::fail(link);
    if (told && listener.on_close) {
        listener.link = *std::move(link);
        base::log(base::LogLevel::debug, "{} is announced to {}", entry_.title(), to_string(listener.link->peer()));
    } else if (!told && told.error().message != listener.trouble) {
        listener.trouble = told.error().message;
        // Who is not there yet may come.
        const bool is_unusual = told.error().code != ErrorCode::not_found && told.error().code != ErrorCode::peer_lost;
        base::log(is_unusual ? base::LogLevel::warn : base::LogLevel::info, "{} is not announced to {} yet: {}",
                  entry_.title(), to_string(listener.address), listener.trouble);
    }
}

}  // namespace staithe::transport
