#include "stream/hosting/latecomers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "stream/holding/fetchers.hpp"
#include "stream/staging/far_depot.hpp"

namespace staithe::stream {
namespace {

constexpr auto between_looks_for_servers = std::chrono::seconds(1);
/// For a server that did not answer, or that not all ranks reach.
constexpr auto until_it_is_tried_again = std::chrono::seconds(5);
/// Of another server, or of a writer rank that reaches it.
constexpr base::Seconds time_to_take_part{5.0};

}  // namespace

Latecomers::~Latecomers() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_all();
}

void Latecomers::look_out() {
    const std::lock_guard lock(mutex_);
    is_told_ = true;
    if (!looks_) {
        // Without a thread those servers take no part.
        looks_ = bool(errands_.add([this] { look_until_nothing_is_written(); }));
    }
}

void Latecomers::look_until_nothing_is_written() {
    std::unique_lock lock(mutex_);
    while (!stops_) {
        is_told_ = false;
        lock.unlock();
        auto written = directors_();
        std::erase_if(written, [](const auto& each) { return !each.second->is_written(); });
        look(written);
        const bool is_any_left = !written.empty();
        written.clear();  // without the lock
        lock.lock();
        changed_.wait_for(lock, between_looks_for_servers, [this] { return stops_.load(); });
        if (!is_any_left && !is_told_) {
            looks_ = false;
            return;
        }
    }
}

void Latecomers::look(const std::map<std::string, std::shared_ptr<Director>>& written) {
    std::map<std::string, std::vector<std::string>> lacking;  // streams, by server
    for (const auto& [stream, director] : written) {
        for (const std::string& server : director->lacks(servers_)) {
            lacking[server].push_back(stream);
        }
    }
    if (lacking.empty()) {
        return;
    }
    if (!search_) {
        auto places = transport::places_to_ask(std::nullopt);
        search_ = std::make_unique<transport::Search>(endpoint_->run_directory(), endpoint_, transport::Kind::server,
                                                      "", places ? *std::move(places) : transport::Places{});
    }
    const auto found = search_->list(base::Deadline(time_to_take_part));
    if (!found) {
        base::log(base::LogLevel::debug, "cannot look for servers: {}", found.error().message);
        return;
    }
    for (const transport::Entry& server : *found) {
        auto& not_before = not_before_[server.name];
        const auto streams = lacking.find(server.name);
        if (streams == lacking.end() || base::Clock::now() < not_before || stops_) {
            continue;
        }
        for (const std::string& stream : streams->second) {
            if (auto brought = bring(server, stream, *written.at(stream)); !brought && !stops_) {
                base::log(base::LogLevel::info, "stream '{}': {} takes no part yet: {}", stream, server.title(),
                          brought.error().message);
                not_before = base::Clock::now() + until_it_is_tried_again;
                break;
            }
        }
        lacking.erase(streams);  // it may be found in several places
    }
}

/// Its links to the ranks come first: a server that cannot have the blocks of one would end the stream.
base::Result<> Latecomers::bring(const transport::Entry& server, const std::string& stream, Director& director) const {
    const auto go_on = [this]() -> base::Result<> {
        return stops_ ? base::fail(ErrorCode::closed, "this server ends") : base::Result<>();
    };
    const std::string contact = director.contact_of(server);
    for (const auto& [rank, link] : director.ranks_elsewhere()) {
        auto reached = link->call({{"service", service_of_fetchers(stream, rank)}, {"contact", contact}}, {},
                                  base::Deadline(time_to_take_part), go_on);
        if (!reached) {
            return base::fail(reached.error().code, "writer rank {} does not reach it: {}", rank,
                              reached.error().message);
        }
    }
    auto next = director.next_depot();
    auto depot = FarDepot::open(*endpoint_, server, stream, std::move(next.service), next.store,
                                base::Deadline(time_to_take_part));
    if (!depot) {
        return base::fail(std::move(depot));
    }
    if (director.take_in({*std::move(depot), server})) {
        base::log(base::LogLevel::info, "stream '{}': {} takes part from now on", stream, server.title());
    }
    return {};
}

}  // namespace staithe::stream
