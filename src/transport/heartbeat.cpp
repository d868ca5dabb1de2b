#include "transport/heartbeat.hpp"

#include "base/log.hpp"
#include "transport/link.hpp"

namespace staithe::transport {
namespace {

// Where something may be wrong, looks are frequent enough that a loss is known in time: a quarter of a second before
// it.
constexpr base::Seconds between_worried_looks{0.25};
constexpr base::Seconds worrying{1.5};

}  // namespace

bool Heartbeat::is_host_lost(const os::Silence& silence) {
    return silence.host_must_answer && silence.of_host + between_worried_looks >= host_is_lost;
}

Heartbeat::Verdict Heartbeat::judge(const os::Silence& silence) {
    Verdict verdict;
    if (is_host_lost(silence)) {
        verdict.lost =
            base::Failure{ErrorCode::peer_lost,
                          fmt::format("its host has not answered for {:.0f} s: is it down, or the network to it?",
                                      host_is_lost.count())};
    } else if (silence.of_process >= process_is_lost) {
        verdict.lost =
            base::Failure{ErrorCode::peer_lost,
                          fmt::format("it has said nothing for {:.0f} s, though its host answers: is it stopped?",
                                      process_is_lost.count())};
    } else if (silence.of_process >= process_is_stalled && !is_stalled_) {
        is_stalled_ = true;
        verdict.news = fmt::format(
            "has said nothing for {:.0f} s, though its host answers: is it stopped, or swapped "
            "out? It is given up after {:.0f} s",
            process_is_stalled.count(), process_is_lost.count());
    } else if (silence.of_process < process_is_stalled && is_stalled_) {
        is_stalled_ = false;
        verdict.news = "goes on";
    }
    if (silence.of_process >= worrying || silence.of_host >= worrying) {
        verdict.look_again = between_worried_looks;
    }
    return verdict;
}

bool Heartbeat::is_due() {
    const auto now = base::Clock::now();
    const bool due = now - last_ >= interval;
    last_ = due ? now : last_;
    return due;
}

void Link::keep_up(EventLoop& loop) {
    auto heartbeats = loop.call_after(Heartbeat::interval, [weak = weak_from_this()]() -> std::optional<base::Seconds> {
        const auto self = weak.lock();
        return self ? self->beat() : std::nullopt;
    });
    const std::lock_guard lock(mutex_);
    heartbeats_ = std::move(heartbeats);
}

std::optional<base::Seconds> Link::stalled_for() const {
    const std::lock_guard lock(mutex_);
    const auto silence = is_between_hosts_ && !closed_ ? os::silence_of(os::BorrowedDescriptor(watch_->descriptor()))
                                                       : base::Result<os::Silence>(os::Silence{});
    return silence && silence->of_process >= Heartbeat::process_is_stalled ? std::optional(silence->of_process)
                                                                           : std::nullopt;
}

/// The peer is told, should it ever go on: others have gone on without it.
void Link::give_up(base::Failure reason) {
    static_cast<void>(send({{"refused", static_cast<int>(ErrorCode::peer_lost)},
                            {"message",
                             "it has given this process up, from which it had heard nothing: was this one "
                             "stopped, or the network down?"}},
                           {}));
    close(std::move(reason), Ending::By::silence);
}

std::optional<base::Seconds> Link::beat() {
    std::optional<base::Seconds> again;
    survives([&] {
        if (!is_open()) {
            return false;
        }
        const auto silence = os::silence_of(os::BorrowedDescriptor(watch_->descriptor()));
        if (!silence) {
            close(silence.error());
            return false;
        }
        auto verdict = heartbeat_.judge(*silence);
        if (!verdict.news.empty()) {
            base::log(base::LogLevel::warn, "{} {}", to_string(peer()), verdict.news);
        }
        if (verdict.lost) {
            give_up(*std::move(verdict.lost));
            return false;
        }
        if (heartbeat_.is_due() && !has_spoken_.exchange(false)) {
            static_cast<void>(notify({{heartbeat_field, true}}));  // a lost peer shows when reading
            has_spoken_ = false;
        }
        again = verdict.look_again;
        return true;
    });
    return again;
}

}  // namespace staithe::transport
