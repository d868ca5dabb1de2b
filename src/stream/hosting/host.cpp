#include "stream/hosting/host.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/fields.hpp"
#include "base/log.hpp"
#include "os/descriptor_room.hpp"
#include "os/process_identity.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/hosting/hosting_request.hpp"
#include "stream/staging/far_depot.hpp"

namespace staithe::stream {
namespace {

/// Of another server that lives.
constexpr base::Seconds time_to_answer{5.0};

}  // namespace

base::Result<std::shared_ptr<Host>> Host::start(std::shared_ptr<transport::Endpoint> endpoint, std::string server,
                                                std::vector<std::string> others, bool has_twins) {
    auto dismissal = os::Event::create();
    if (!dismissal) {
        return base::fail(std::move(dismissal));
    }
    std::shared_ptr<Host> host(
        new Host(std::move(endpoint), std::move(server), std::move(others), has_twins, *std::move(dismissal)));
    auto offered =
        host->endpoint_->offer(hosting_service, [weak = host->weak_from_this()](const auto& link, const auto& packet) {
            if (const auto self = weak.lock()) {
                self->handle(link, packet);
            }
        });
    if (!offered) {
        return base::fail(std::move(offered));
    }
    Host* const started = host.get();
    // No request is being answered when it goes: its end waits for threads that may wait for that.
    return std::shared_ptr<Host>(started, [host = std::move(host)](Host* ended) mutable {
        ended->endpoint_->withdraw(hosting_service);
        host = nullptr;
    });
}

Host::~Host() {
    latecomers_ = nullptr;  // its thread looks at the streams
    // No handler runs any more, so there is no lock to be held while directors stop, which wait for theirs.
    streams_.clear();
}

void Host::handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet) {
    const std::string type = text_field(packet.body, "type").value_or("");
    if (type == hosting::abandon) {
        drop_if_nobody_joined(text_field(packet.body, "stream").value_or(""));
        return;
    }
    if (type == hosting::open) {
        open(link, packet);
        return;
    }
    if (depots_.handle(link, packet) || packet.id() == 0) {
        return;
    }
    base::Result<Attributes> answer =
        base::fail(ErrorCode::protocol,
                   "server '{}' does not understand '{}': use one version of Staithe on both sides", server_, type);
    if (type == hosting::describe) {
        answer = describe();
    } else if (type == hosting::fellows) {
        answer = Attributes{{"fellows", has_twins_ ? List(others_.begin(), others_.end()) : List()}};
    } else if (type == hosting::drain || type == hosting::dismiss) {
        answer = drain(packet.body, type == hosting::dismiss);
    }
    static_cast<void>(link->reply(packet.id(), std::move(answer)));
}

/// One that keeps streams alone answers at once; others are to be reached first.
void Host::open(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet) {
    auto settings = decode_settings(packet.body);
    const auto answer = [link, id = packet.id()](const base::Result<>& outcome) {
        static_cast<void>(link->reply(id, outcome ? base::Result<Attributes>(Attributes{}) : base::fail(outcome)));
    };
    if (settings && is_draining_) {
        const auto ended = end_earlier(settings->stream);  // who opens it anew goes to another server
        static_cast<void>(
            link->reply(packet.id(), ended ? base::Result<Attributes>({{hosting::drains, true}}) : base::fail(ended)));
        return;
    }
    if (!settings || others_.empty() || has_twins_) {
        answer(settings ? take_in(link, *std::move(settings), {}) : base::fail(settings));
        return;
    }
    const auto begun = opening_.add([this, link, answer, body = packet.body, settings = *std::move(settings)] {
        auto depots = found_depots(body, settings);
        answer(depots ? take_in(link, settings, *std::move(depots)) : base::fail(depots));
    });
    if (!begun) {
        answer(begun);
    }
}

/// In the other servers, as far as the writer has found them.
base::Result<Director::FarDepots> Host::found_depots(const Attributes& request, const DirectorSettings& settings) {
    const Value* const patient = find(request, "patient");
    const List* const servers = list_field(request, "servers");
    static std::atomic<std::int64_t> streams{0};
    Director::FarDepots depots;
    depots.service =
        fmt::format("{}{}, {} at {}", depot_prefix, settings.stream, ++streams, to_string(os::this_process()));
    std::vector<transport::Entry> found;
    for (const Value& each : servers == nullptr ? List() : *servers) {
        const List* const pair = each.as_list();
        const bool is_pair = pair != nullptr && pair->size() == 2 && (*pair)[0].as_string() != nullptr &&
                             (*pair)[1].as_string() != nullptr;
        if (!is_pair || std::ranges::find(others_, *(*pair)[0].as_string()) == others_.end()) {
            continue;
        }
        const std::string& name = *(*pair)[0].as_string();
        auto entry = transport::entry_from_json("the contact of server " + name, transport::Kind::server, name,
                                                *(*pair)[1].as_string());
        if (!entry) {
            return base::fail(std::move(entry));
        }
        found.push_back(*std::move(entry));
    }
    if (misses_any(found, patient != nullptr && patient->as_bool().value_or(false))) {
        return base::fail(ErrorCode::not_found, "{} of {} servers that keep streams with '{}' have been found",
                          found.size(), others_.size(), server_);
    }
    for (transport::Entry& server : found) {
        const auto store = store_of_depot(settings.writers, static_cast<int>(depots.all.size()) + 1);
        auto depot =
            FarDepot::open(*endpoint_, server, settings.stream, depots.service, store, base::Deadline(time_to_answer));
        if (depot) {
            depots.all.push_back({*std::move(depot), std::move(server)});
        } else {
            const bool is_drained = depot.error().code == ErrorCode::not_found;
            base::log(is_drained ? base::LogLevel::info : base::LogLevel::warn, "stream '{}': {} takes no part: {}",
                      settings.stream, server.title(), depot.error().message);
        }
    }
    return depots;
}

/// That it is worth to wait for: a server that a writer has waited for in vain is not waited for again.
bool Host::misses_any(const std::vector<transport::Entry>& found, bool is_patient) {
    const std::lock_guard lock(mutex_);
    bool any = false;
    for (const std::string& other : others_) {
        if (std::ranges::find(found, other, &transport::Entry::name) != found.end()) {
            missing_.erase(other);
        } else if (is_patient) {
            any = any || !missing_.contains(other);
        } else {
            missing_.insert(other);
        }
    }
    return any;
}

base::Result<> Host::take_in(const std::shared_ptr<transport::Link>& link, DirectorSettings settings,
                             Director::FarDepots depots) {
    settings.server = server_;
    const std::string stream = settings.stream;
    // Where the server that directed it is gone, it may still be written, or its steps be there, by the other name.
    for (const std::string& earlier : {stream, twin_of(stream)}) {
        if (auto ended = end_earlier(earlier); !ended) {
            return ended;
        }
    }
    const std::lock_guard lock(mutex_);
    if (streams_.contains(stream)) {  // another one was sooner
        return tl::unexpected(is_written_here(stream));
    }
    if (is_draining_) {  // since the request came
        return base::fail(ErrorCode::not_found, "server '{}' is being drained", server_);
    }
    drop_oldest_past_if_scarce();
    auto director = Director::host(endpoint_, std::move(settings), std::move(depots),
                                   [weak = weak_from_this(), asking = asking_, stream](std::int64_t bytes) {
                                       static_cast<void>(asking->add([weak, stream, bytes] {
                                           if (const auto self = weak.lock()) {
                                               self->ask_all_but(stream, bytes);
                                           }
                                       }));
                                   });
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
    if (latecomers_) {
        latecomers_->look_out();
    }
    return {};
}

/// One that nobody writes any more.
base::Result<> Host::end_earlier(const std::string& stream) {
    std::shared_ptr<Director> director;
    {
        const std::lock_guard lock(mutex_);
        const auto earlier = streams_.find(stream);
        if (earlier == streams_.end()) {
            return {};
        }
        if (earlier->second.director->is_written()) {
            return tl::unexpected(is_written_here(stream));
        }
        director = std::move(earlier->second.director);
        streams_.erase(earlier);
    }
    // Who reads it has been told of all its steps, and has their memory mapped. The name under which it offers blocks
    // is the next one's, however long it takes to go.
    director->stop();
    director->withdraw_blocks();
    let_go(std::move(director));
    return {};
}

base::Failure Host::is_written_here(const std::string& stream) const {
    return {ErrorCode::already_exists,
            fmt::format("stream '{}' has a live writer, which server '{}' serves: close it first, or use another name "
                        "(`staithe show {}` tells who it is)",
                        stream, server_, stream)};
}

/// It may still wait for what its threads do, which may need the thread that this is called in.
void Host::let_go(std::shared_ptr<Director> director) {
    static_cast<void>(past_.add([director = std::move(director)]() mutable { director = nullptr; }));
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
        let_go(std::move(oldest->second.director));
        streams_.erase(oldest);
    }
}

/// In a thread of its own: each has a mutex, and one of them is that of who asks.
void Host::ask_all_but(const std::string& stream, std::int64_t bytes) const {
    std::int64_t freed = 0;
    for (const auto& [name, director] : directors()) {
        if (name != stream && freed < bytes) {
            freed += director->give_to_others(bytes - freed);
        }
    }
}

void Host::drop_if_nobody_joined(const std::string& stream) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(stream);
    if (found != streams_.end() && !found->second.director->has_writer_joined()) {
        let_go(std::move(found->second.director));  // ends without the lock
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

/// Nothing new comes any more: what is not needed now never will be.
Attributes Host::drain(const Attributes& request, bool dismisses) {
    if (!is_draining_.exchange(true)) {
        base::log(base::LogLevel::info, "server '{}' is being drained", server_);
    }
    depots_.drain();
    List still = left(base::flag_field(request, "drops_kept"));
    if (dismisses && still.empty()) {
        is_dismissed_ = true;
        dismissal_.set();
    }
    return {{"left", std::move(still)}};
}

List Host::left(bool drops_kept) const {
    List left;
    for (const auto& [name, director] : directors()) {
        if (const std::string why = director->why_needed(drops_kept); !why.empty()) {
            left.emplace_back(fmt::format("stream '{}' {}", name, why));
        }
    }
    for (const std::string& name : depots_.in_use()) {
        left.emplace_back(fmt::format("stream '{}', which another server directs, has blocks here", name));
    }
    return left;
}

Attributes Host::describe() const {
    Attributes streams;
    for (const auto& [name, director] : directors()) {
        streams.emplace(name, director->summary());
    }
    for (const auto& [name, bytes] : depots_.bytes()) {  // unless it directs one of that name, too
        streams.emplace(
            name,
            Attributes{{"state", "depot"}, {"ranks", 0}, {"steps", 0}, {"kept", 0}, {"readers", 0}, {"memory", bytes}});
    }
    return {{"draining", is_draining_.load()}, {"streams", std::move(streams)}};
}

}  // namespace staithe::stream
