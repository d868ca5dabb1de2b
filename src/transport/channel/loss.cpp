#include "transport/channel/loss.hpp"

#include <atomic>
#include <optional>
#include <utility>

#include "base/deadline.hpp"
#include "transport/heartbeat.hpp"

namespace staithe::transport {
namespace {

// Of one process that ends both end, but one may be heard of first: then the link says how it was.
constexpr base::Seconds grace_for_the_link{0.5};
// A process that dies ends both at once. If its link ends later than this after its channel, it was there until then,
// and has given up this side, since for it, too, the channel was cut.
constexpr base::Seconds ends_at_once{0.1};

const std::string cut_alone = "is lost: a connection to it was cut, though it is there";

class LossOfBoth : public std::enable_shared_from_this<LossOfBoth> {
  public:
    LossOfBoth(Link& link, std::shared_ptr<Channel> channel, EventLoop& loop,
               std::function<void(const std::string& how)> callback)
        : link_(link.weak_from_this()), channel_(std::move(channel)), loop_(loop), callback_(std::move(callback)) {}

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
    // How is settled now: what comes to an end from here on may do so since the loss is known.
    void lose() {
        if (!is_lost_.exchange(true)) {
            const auto link = link_.lock();
            callback_(link && !was_cut_alone_ ? how_lost(*link) : cut_alone);
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
        cut_at_ = base::Clock::now();
        if (link_is_open_) {
            lose_after(grace_for_the_link);
        } else {
            lose();
        }
    }

    void link_has_ended(Link::Ending::By by) {
        link_is_open_ = false;
        was_cut_alone_ = cut_at_ && base::Clock::now() - *cut_at_ > ends_at_once;
        if (by != Link::Ending::By::peer || !channel_->is_connected()) {
            lose();
            return;
        }
        channel_->wake();  // some of the last words may have been taken in just now
        lose_after(Heartbeat::host_is_lost);
    }

    const std::weak_ptr<Link> link_;
    const std::shared_ptr<Channel> channel_;
    EventLoop& loop_;
    const std::function<void(const std::string& how)> callback_;
    std::shared_ptr<Link::CloseHandler> on_close_;
    std::shared_ptr<void> patience_;
    std::optional<base::Clock::time_point> cut_at_;  // of the loop's thread, as what follows
    bool was_cut_alone_ = false;
    std::atomic<bool> link_is_open_{true};
    std::atomic<bool> is_lost_{false};
};

}  // namespace

std::shared_ptr<void> when_lost(Link& link, const std::shared_ptr<Channel>& channel, EventLoop& loop,
                                std::function<void(const std::string& how)> callback) {
    auto loss = std::make_shared<LossOfBoth>(link, channel, loop, std::move(callback));
    return loss->watch(link) ? loss : nullptr;
}

std::string how_lost(const Link& link) {
    const auto ending = link.ending();
    if (ending && ending->by == Link::Ending::By::peer) {
        return "died";
    }
    return ending ? "is lost: " + ending->why.message : cut_alone;
}

}  // namespace staithe::transport
