#include "transport/channel/loss.hpp"

#include <atomic>
#include <utility>

#include "transport/heartbeat.hpp"

namespace staithe::transport {
namespace {

// Of one process that ends both end, but one may be heard of first: then the link says how it was.
constexpr base::Seconds grace_for_the_link{0.5};

class LossOfBoth : public std::enable_shared_from_this<LossOfBoth> {
  public:
    LossOfBoth(std::shared_ptr<Channel> channel, EventLoop& loop, std::function<void()> callback)
        : channel_(std::move(channel)), loop_(loop), callback_(std::move(callback)) {}

    bool watch(Link& link) {
        on_close_ = link.on_close([weak = weak_from_this(), &link] {
            if (const auto self = weak.lock()) {
                self->link_has_ended(link.ending()->by);
            }
        });
        channel_->when_cut_off([weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->channel_is_cut();
            }
        });
        return on_close_ != nullptr;
    }

  private:
    void lose() {
        if (!is_lost_.exchange(true)) {
            callback_();
        }
    }

    void lose_after(base::Seconds grace) {
        patience_ = loop_.call_after(grace, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->lose();
            }
            return std::optional<base::Seconds>();
        });
    }

    void channel_is_cut() {
        if (link_is_open_) {
            lose_after(grace_for_the_link);
        } else {
            lose();
        }
    }

    void link_has_ended(Link::Ending::By by) {
        link_is_open_ = false;
        if (by != Link::Ending::By::peer || !channel_->is_connected()) {
            lose();
            return;
        }
        channel_->wake();  // some of the last words may have been taken in just now
        lose_after(Heartbeat::host_is_lost);
    }

    const std::shared_ptr<Channel> channel_;
    EventLoop& loop_;
    const std::function<void()> callback_;
    std::shared_ptr<Link::CloseHandler> on_close_;
    std::shared_ptr<void> patience_;
    std::atomic<bool> link_is_open_{true};
    std::atomic<bool> is_lost_{false};
};

}  // namespace

std::shared_ptr<void> when_lost(Link& link, const std::shared_ptr<Channel>& channel, EventLoop& loop,
                                std::function<void()> callback) {
    auto loss = std::make_shared<LossOfBoth>(channel, loop, std::move(callback));
    return loss->watch(link) ? loss : nullptr;
}

std::string how_lost(const Link& link) {
    const auto ending = link.ending();
    if (ending && ending->by == Link::Ending::By::peer) {
        return "died";
    }
    return "is lost: " + (ending ? ending->why.message : "a connection to it was cut, though it is there");
}

}  // namespace staithe::transport
