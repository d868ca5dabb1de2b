// Who waits for something of a server, for those who look on.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/text.hpp"
#include "server/reception.hpp"

namespace staithe::server {
namespace {

constexpr std::size_t most_told = 64;

struct Wait {
    const transport::Link* link = nullptr;
    double seconds = 0;
    std::string kind;
    std::string wants;
    std::function<std::string()> reason;  // asked of those that are told
};

double seconds_since(base::Clock::time_point since, base::Clock::time_point now) {
    return base::Seconds(now - since).count();
}

std::string title_of(const store::space::Wanted& wanted, const std::string& space) {
    const std::string which = wanted.after     ? "the next version"
                              : wanted.version ? fmt::format("version {}", *wanted.version)
                                               : "the newest version";
    return fmt::format("{} of '{}' in space '{}'", which, base::printable(wanted.variable), space);
}

}  // namespace

List Reception::waits() {
    const auto now = base::Clock::now();
    std::vector<Wait> all;
    for (const Waiting& each : waiting_) {
        all.push_back({each.link.get(), seconds_since(each.since, now), "version", title_of(each.wanted, each.space),
                       [&] { return spaces_.at(each.space)->why_not(each.wanted); }});
    }
    for (const auto& [number, wish] : wishes_) {
        all.push_back({wish.link.get(), seconds_since(wish.since, now), "room",
                       fmt::format("room for {} of '{}' in server '{}'", base::format_bytes(wish.bytes),
                                   base::printable(wish.variable), server_),
                       [this] { return what_it_holds(); }});
    }
    const auto own_now = time_.now();
    for (const auto& each : locks_.waiting(own_now)) {
        all.push_back({static_cast<const transport::Link*>(each.client), seconds_since(each.since, own_now), "lock",
                       fmt::format("the lock on {} at server '{}'", each.wanted, server_),
                       [&, request = each.request] { return locks_.describe_wait(request, own_now); }});
    }
    const auto told = static_cast<std::ptrdiff_t>(std::min(most_told, all.size()));
    std::ranges::partial_sort(all, all.begin() + told, std::ranges::greater(), &Wait::seconds);
    List list;
    for (auto wait = all.begin(); wait != all.begin() + told; ++wait) {
        const transport::Peer who = wait->link->peer();
        list.emplace_back(Attributes{{"program", who.program},
                                     {"host", who.host},
                                     {"pid", who.pid},
                                     {"kind", wait->kind},
                                     {"wants", std::move(wait->wants)},
                                     {"seconds", wait->seconds},
                                     {"reason", wait->reason()}});
    }
    return list;
}

}  // namespace staithe::server
