#include "stream/hosting/host.hpp"

#include <utility>

#include "base/log.hpp"
#include "os/descriptor_room.hpp"
#include "stream/hosting/hosting_request.hpp"

namespace staithe::stream {

base::Result<std::shared_ptr<Host>> Host::start(std::shared_ptr<transport::Endpoint> endpoint, std::string server) {
    std::shared_ptr<Host> host(new Host(std::move(endpoint), std::move(server)));
    auto offered =
        host->endpoint_->offer(hosting_service, [weak = host->weak_from_this()](const auto& link, const auto& packet) {
            if (const auto self = weak.lock()) {
                self->handle(link, packet);
            }
        });
    if (!offered) {
        return base::fail(std::move(offered));
    }
    host->is_offered_ = true;
    return host;
}

Host::~Host() {
    if (is_offered_) {
        endpoint_->withdraw(hosting_service);
    }
    // No handler runs any more, so there is no lock to be held while directors stop, which wait for theirs.
    streams_.clear();
}

void Host::handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet) {
    const std::string type = text_field(packet.body, "type").value_or("");
    if (type == hosting::abandon) {
        drop_if_nobody_joined(text_field(packet.body, "stream").value_or(""));
        return;
    }
    auto answer = type == hosting::open       ? open(link, packet.body)
                  : type == hosting::describe ? base::Result<Attributes>({{"streams", describe()}})
                                              : base::fail(ErrorCode::protocol,
                                                           "server '{}' does not understand '{}': use one version of "
                                                           "Staithe on both sides",
                                                           server_, type);
    if (packet.id() != 0) {
        static_cast<void>(link->reply(packet.id(), std::move(answer)));
    }
}

base::Result<Attributes> Host::open(const std::shared_ptr<transport::Link>& link, const Attributes& request) {
    auto settings = decode_settings(request);
    if (!settings) {
        return base::fail(std::move(settings));
    }
    settings->server = server_;
    const std::string stream = settings->stream;
    const std::lock_guard lock(mutex_);
    if (const auto earlier = streams_.find(stream); earlier != streams_.end()) {
        if (earlier->second.director->is_written()) {
            return base::fail(ErrorCode::already_exists,
                              "stream '{}' has a live writer, which server '{}' serves: close it first, or use another "
                              "name (`staithe show {}` tells who it is)",
                              stream, server_, stream);
        }
        // Who reads it has been told of all its steps, and has their memory mapped.
        earlier->second.director->stop();
        streams_.erase(earlier);
    }
    drop_oldest_past_if_scarce();
    auto director = Director::host(endpoint_, *std::move(settings));
    if (!director) {
        return base::fail(std::move(director));
    }
    // As long as nobody has joined, the stream is rank 0's alone, and goes with it.
    auto closing = link->on_close([weak = weak_from_this(), stream] {
        if (const auto self = weak.lock()) {
            self->drop_if_nobody_joined(stream);
        }
    });
    streams_.insert_or_assign(stream, Hosted{*std::move(director), std::move(closing), ++last_number_});
    return Attributes{};
}

/// Streams that have ended stay for who comes later; but each holds descriptors, and half of them are for what goes on.
void Host::drop_oldest_past_if_scarce() {
    const auto [left, most] = os::descriptor_room();
    if (left >= most / 2) {
        return;
    }
    auto oldest = streams_.end();
    for (auto each = streams_.begin(); each != streams_.end(); ++each) {
        if (each->second.director->is_past() &&
            (oldest == streams_.end() || each->second.number < oldest->second.number)) {
            oldest = each;
        }
    }
    if (oldest != streams_.end()) {
        base::log(base::LogLevel::info,
                  "stream '{}', which has ended and is read by nobody, goes: server '{}' has {} of {} file descriptors "
                  "left (`ulimit -n`)",
                  oldest->first, server_, left, most);
        oldest->second.director->stop();
        streams_.erase(oldest);
    }
}

void Host::drop_if_nobody_joined(const std::string& stream) {
    std::shared_ptr<Director> dropped;  // ends without the lock
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(stream);
    if (found != streams_.end() && !found->second.director->has_writer_joined()) {
        dropped = std::move(found->second.director);
        streams_.erase(found);
    }
}

std::map<std::string, std::shared_ptr<Director>> Host::directors() const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::shared_ptr<Director>> directors;
    for (const auto& [name, hosted] : streams_) {
        directors.emplace(name, hosted.director);
    }
    return directors;
}

Attributes Host::describe() const {
    Attributes streams;
    for (const auto& [name, director] : directors()) {
        streams.emplace(name, director->summary());
    }
    return streams;
}

}  // namespace staithe::stream
