#include <netdb.h>

#include <array>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "os/fork.hpp"
#include "os/tcp.hpp"

namespace staithe::os {

struct HostLookup::State {
    explicit State(Event event) : done(std::move(event)) {}
    std::mutex mutex;
    Event done;
    std::optional<base::Result<std::vector<std::string>>> numbers;
};

namespace {

base::Result<std::vector<std::string>> look_up(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int status = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
    if (status == EAI_NONAME || status == EAI_NODATA) {
        return base::fail(ErrorCode::not_found, "no host is called '{}': check the name, or give its number", host);
    }
    if (status != 0) {
        return base::fail(ErrorCode::system, "cannot look up the host '{}' ({}): give its number", host,
                          ::gai_strerror(status));
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
    std::vector<std::string> numbers;
    for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next) {
        std::array<char, NI_MAXHOST> number{};
        if (::getnameinfo(each->ai_addr, each->ai_addrlen, number.data(), number.size(), nullptr, 0, NI_NUMERICHOST) ==
            0) {
            numbers.emplace_back(number.data());
        }
    }
    return numbers;
}

struct UnderWay {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<void>> by_host;
};

UnderWay& under_way() {
    static OnePerProcess<UnderWay> lookups;
    return lookups.get();
}

}  // namespace

base::Result<HostLookup> HostLookup::begin(const std::string& host) {
    auto& lookups = under_way();
    const std::lock_guard lock(lookups.mutex);
    std::erase_if(lookups.by_host, [](const auto& entry) { return entry.second.expired(); });
    if (const auto running = std::static_pointer_cast<State>(lookups.by_host[host].lock())) {
        return HostLookup(running);
    }
    auto done = Event::create();
    if (!done) {
        return base::fail(std::move(done));
    }
    auto state = std::make_shared<State>(*std::move(done));
    try {
        std::thread([state, host] {
            auto numbers = look_up(host);
            const std::lock_guard finishing(state->mutex);
            state->numbers = std::move(numbers);
            state->done.set();
        }).detach();
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached, "cannot start a thread that looks up a host: {}; raise `ulimit -u`",
                          error.what());
    }
    lookups.by_host[host] = state;
    return HostLookup(std::move(state));
}

int HostLookup::descriptor() const { return state_->done.descriptor(); }

std::optional<base::Result<std::vector<std::string>>> HostLookup::result() const {
    const std::lock_guard lock(state_->mutex);
    return state_->numbers;
}

}  // namespace staithe::os
