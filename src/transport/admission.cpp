#include "transport/admission.hpp"

#include <algorithm>
#include <chrono>

namespace staithe::transport {
namespace {

// Connections that have not proved yet that they have the key. That takes them four times the way between the hosts.
constexpr std::size_t most_strangers = 64;

}  // namespace

base::Result<bool> must_prove(const os::PeerCredentials& caller, const os::PeerCredentials& listener,
                              const std::shared_ptr<const Key>& key) {
    if (caller.uid == listener.uid) {
        return false;
    }
    if (!key) {
        return base::fail(ErrorCode::system,
                          "{} and {} have no key in common: both need STAITHE_KEY_FILE, a key made with `staithe key`",
                          party(caller), party(listener));
    }
    return true;
}

base::Failure refusal_of_strangers() {
    return {ErrorCode::system, "refuses a process that does not prove that it has the key"};
}

void Strangers::forget_others() {
    std::erase_if(strangers_, [](const Stranger& stranger) {
        const auto link = stranger.link.lock();
        const auto gate = stranger.gate.lock();
        return !link || !link->is_open() || !gate || gate->is_open();
    });
}

void Strangers::add(const std::shared_ptr<Link>& link, const std::shared_ptr<Gate>& gate) {
    strangers_.push_back({link, gate});
}

std::shared_ptr<Link> Strangers::excess() {
    if (strangers_.size() < most_strangers) {
        return nullptr;
    }
    forget_others();
    return strangers_.size() >= most_strangers ? any() : nullptr;
}

std::shared_ptr<Link> Strangers::any() {
    forget_others();
    if (strangers_.empty()) {
        return nullptr;
    }
    const auto silent = std::find_if(strangers_.begin(), strangers_.end(), [](const Stranger& stranger) {
        const auto gate = stranger.gate.lock();
        return gate && !gate->is_challenged();
    });
    const auto chosen = silent != strangers_.end() ? silent : strangers_.begin();
    auto link = chosen->link.lock();
    strangers_.erase(chosen);
    return link;
}

std::int64_t Strangers::count() {
    forget_others();
    return static_cast<std::int64_t>(strangers_.size());
}

base::LogLevel LevelOfStrangers::next() {
    constexpr std::chrono::nanoseconds between = std::chrono::seconds(1);
    const std::int64_t now = base::Clock::now().time_since_epoch().count();
    std::int64_t last = last_.load();
    const bool is_news = last == INT64_MIN || now - last > between.count();
    return is_news && last_.compare_exchange_strong(last, now) ? base::LogLevel::warn : base::LogLevel::debug;
}

}  // namespace staithe::transport
