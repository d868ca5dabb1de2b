#include "stream/directing/reception.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "base/value_codec.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/requests.hpp"
#include "stream/directing/waits.hpp"
#include "stream/observing/sendings.hpp"

namespace staithe::stream {
namespace {

// Of a reader's request, which is kept while it waits for writer ranks.
constexpr std::size_t most_join_bytes = 64 << 10;

}  // namespace

Reception::Handler Reception::handler_of(std::string_view type) {
    struct Row {
        std::string_view type;
        Handler handler;
    };
    static constexpr std::array rows{
        Row{message_type::join_writer, &Reception::join_writer},
        Row{message_type::join_reader, &Reception::join_reader},
        Row{message_type::stores, &Reception::name_stores},
        Row{message_type::ready, &Reception::set_ready},
        Row{message_type::detach, &Reception::detach},
        Row{message_type::pause, &Reception::pause},
        Row{message_type::resume, &Reception::resume},
        Row{message_type::follow, &Reception::follow},
        Row{message_type::fetches, &Reception::fetches},
        Row{message_type::sends, &Reception::sends},
        Row{message_type::awaits, &Reception::awaits},
        Row{message_type::lease, &Reception::lease},
        Row{message_type::end_lease, &Reception::end_lease},
        Row{message_type::leave, &Reception::leave},
        Row{message_type::fail, &Reception::fail},
        Row{message_type::give_up, &Reception::give_up},
    };
    for (const Row& row : rows) {
        if (row.type == type) {
            return row.handler;
        }
    }
    return nullptr;
}

void Reception::handle(const std::shared_ptr<transport::Link>& link, transport::Packet packet) {
    const std::string type = text_field(packet.body, "type").value_or("");
    Request request{link, packet, integer_field(packet.body, "id", 0, INT64_MAX).value_or(0)};
    if (type == message_type::describe) {
        reply(request, transport::Packet{describe(), {}});
        return;
    }
    const std::string& stream = director_.state_.settings.stream;
    const Handler handler = handler_of(type);
    const std::lock_guard lock(director_.mutex_);
    if (find(packet.body, "member") != nullptr) {
        const auto id = integer_field(packet.body, "member", 0, INT64_MAX);
        Member* const member = id ? director_.state_.members.find(*id) : nullptr;
        if (member == nullptr) {  // at a server it may be one of the stream that this one has come in place of
            reply(request, base::fail(ErrorCode::peer_lost,
                                      "stream '{}' as it was joined is gone: it was opened anew, or who asks was taken "
                                      "for gone",
                                      stream));
            return;
        }
        if (member->link != link) {  // a member speaks for itself alone
            reply(request, base::fail(ErrorCode::protocol, "stream '{}' has no such member here", stream));
            return;
        }
        request.member = member;
    }
    Answer answer =
        handler == nullptr
            ? base::fail(ErrorCode::protocol,
                         "stream '{}' does not understand '{}': use one version of Staithe on both sides", stream, type)
            : (this->*handler)(request);
    if (!answer) {
        reply(request, base::fail(std::move(answer)));
    } else if (*answer) {
        reply(request, **std::move(answer));
    }
}

void Reception::reply(const Request& request, base::Result<transport::Packet> answer) {
    if (find(request.packet.body, "id") == nullptr) {
        return;  // it expects none
    }
    std::vector<int> descriptors;
    for (std::size_t i = 0; answer && i < answer->descriptors.size(); ++i) {
        descriptors.push_back(answer->descriptors[i].get());
    }
    auto body = answer ? base::Result<Attributes>(std::move(answer->body)) : base::fail(std::move(answer));
    static_cast<void>(request.link->reply(request.id, std::move(body), descriptors));
}

base::Result<Member*> Reception::reader_of(const Request& request) const {
    if (request.member == nullptr || !request.member->reads) {
        return base::fail(ErrorCode::protocol, "stream '{}' knows no such reader rank",
                          director_.state_.settings.stream);
    }
    return request.member;
}

// Joining ---------------------------------------------------------------------------------------------------------

Reception::Answer Reception::join_writer(const Request& request) {
    auto joined = director_.join_writer(request.link, request.packet.body, std::move(request.packet.descriptors));
    if (!joined) {
        return base::fail(std::move(joined));
    }
    reply(request, *std::move(joined));
    if (director_.state_.queue->lost_writer()) {
        const auto rank = integer_field(request.packet.body, "rank", 0, most_ranks).value_or(0);
        director_.tell_loss(*director_.state_.members.writer(static_cast<int>(rank)).member);
    }
    if (director_.state_.members.all_writers_joined()) {
        answer_deferred();
    }
    return std::nullopt;
}

Reception::Answer Reception::join_reader(const Request& request) {
    if (base::to_cbor(request.packet.body).size() > most_join_bytes) {
        return base::fail(ErrorCode::protocol, "a reader rank's request is too long");
    }
    if (director_.must_wait(request.packet.body)) {
        auto& deferred = director_.state_.members.deferred;
        std::erase_if(deferred, [](const DeferredJoin& join) { return !join.link->is_open(); });
        const auto of_it = std::count_if(deferred.begin(), deferred.end(),
                                         [&](const DeferredJoin& join) { return join.link == request.link; });
        if (deferred.size() >= Members::most_deferred || of_it >= Members::most_of_a_process) {
            return base::fail(ErrorCode::limit_reached,
                              "stream '{}': {} reader ranks wait already for its writer ranks, {} of this process",
                              director_.state_.settings.stream, deferred.size(), of_it);
        }
        deferred.push_back({request.link, request.packet.body, os::coarse_monotonic_nanoseconds()});
        return std::nullopt;
    }
    return director_.join_reader(request.link, request.packet.body);
}

void Reception::answer_deferred() {
    for (DeferredJoin& join : std::exchange(director_.state_.members.deferred, {})) {
        transport::Packet packet{std::move(join.request), {}};
        const Request request{join.link, packet, integer_field(packet.body, "id", 0, INT64_MAX).value_or(0)};
        reply(request, director_.join_reader(join.link, packet.body));
    }
}

Reception::StoreHolder Reception::holder_of_rank(int rank, bool on_disk, bool is_far) const {
    if (director_.is_staged(rank)) {
        return {{}, nullptr};  // what it has written is with depots
    }
    const WriterRank& writer = director_.state_.members.writer(rank);
    const os::FileDescriptor* const file = writer.file(on_disk);
    const bool itself = file == nullptr || (is_far && writer.entry && !writer.entry->ports().empty());
    return {itself && writer.entry ? transport::to_json(*writer.entry) : "", itself ? nullptr : file};
}

Reception::StoreHolder Reception::holder_of_depot(int depot) const {
    if (depot > 0) {
        return {director_.staging_->contact(static_cast<std::size_t>(depot)), nullptr};
    }
    return {"", std::visit([](const auto& pool) { return &pool->file(); }, *director_.state_.members.depot)};
}

/// Who has each rank's pool: its own process, if that is elsewhere or may be reached from the reader's host; else this
/// one, which passes it on to readers of this host. Behind them, who has the depots.
Reception::Answer Reception::name_stores(const Request& request) {
    const Members& members = director_.state_.members;
    const DirectorSettings& settings = director_.state_.settings;
    const int depots = director_.staging_ ? static_cast<int>(director_.staging_->depots()) : 0;
    const auto first = integer_field(request.packet.body, "first", 0, settings.writers + depots - 1);
    if (!first || !members.all_writers_joined()) {
        return base::fail(ErrorCode::protocol, "a request for stores is garbled or comes too early");
    }
    const Value* spill = find(request.packet.body, "spill");
    const bool on_disk = spill != nullptr && spill->as_bool().value_or(false);
    if (on_disk && settings.queue.spill_bytes == 0) {
        return base::fail(ErrorCode::protocol, "a reader rank asks stream '{}' for pools that it has not",
                          settings.stream);
    }
    const bool is_far = request.link->is_between_hosts();
    List holders;
    std::vector<int> descriptors;
    const int end = settings.writers + (on_disk ? 0 : depots);
    for (auto place = static_cast<int>(*first); place < end && holders.size() < os::max_descriptors_per_message;
         ++place) {
        const StoreHolder holder = place < settings.writers ? holder_of_rank(place, on_disk, is_far)
                                                            : holder_of_depot(place - settings.writers);
        holders.push_back(holder.contact);
        if (!is_far && holder.file != nullptr) {
            descriptors.push_back(holder.file->get());
        }
    }
    // Here, since a packet owns its descriptors, and these stay: copies of them this process may have no room for.
    static_cast<void>(request.link->reply(request.id, Attributes{{"holders", std::move(holders)}}, descriptors));
    return std::nullopt;
}

// Reading ---------------------------------------------------------------------------------------------------------

/// A reader rank tells of itself what the queue is to know.
Reception::Answer Reception::tell_queue(const Request& request, void (StepQueue::*event)(int member)) {
    const auto member = reader_of(request);
    if (!member) {
        return base::fail(member);
    }
    ((*director_.state_.queue).*event)((*member)->number);
    director_.deliver();
    return transport::Packet{};
}

Reception::Answer Reception::set_ready(const Request& request) { return tell_queue(request, &StepQueue::ready); }
Reception::Answer Reception::detach(const Request& request) { return tell_queue(request, &StepQueue::detach); }
Reception::Answer Reception::resume(const Request& request) { return tell_queue(request, &StepQueue::resume); }

Reception::Answer Reception::pause(const Request& request) {
    director_.attend();  // what it asked for before
    return tell_queue(request, &StepQueue::pause);
}

Reception::Answer Reception::follow(const Request& request) {
    if (const auto member = reader_of(request); !member) {
        return base::fail(member);
    }
    if (auto checked = check_overflow({Overflow::Policy::latest, 1}, director_.state_.settings.queue.steps); !checked) {
        return base::fail(std::move(checked));
    }
    if (auto attends = director_.attend_from_now_on(); !attends) {
        return base::fail(std::move(attends));
    }
    return tell_queue(request, &StepQueue::follow_latest);
}

/// For people who look at the stream.
Reception::Answer Reception::fetches(const Request& request) {
    const auto member = reader_of(request);
    const auto rank = integer_field(request.packet.body, "rank", 0, director_.state_.settings.writers - 1);
    const auto way = text_field(request.packet.body, "way");
    if (member && rank && way) {
        (*member)->ways.insert_or_assign(static_cast<int>(*rank), failure_line(*way));
    }
    return std::nullopt;
}

Reception::Answer Reception::sends(const Request& request) {
    const List* const told = list_field(request.packet.body, "links");
    auto links = told == nullptr ? std::nullopt : links_in(*told);
    if (links && request.member != nullptr && !request.member->reads) {
        director_.state_.members.writer(request.member->rank).sends = *std::move(links);
    }
    return std::nullopt;
}

Reception::Answer Reception::awaits(const Request& request) {
    if (request.member == nullptr) {
        return base::fail(ErrorCode::protocol, "stream '{}' knows no such member", director_.state_.settings.stream);
    }
    const Member& member = *request.member;
    return transport::Packet{encode(member.reads ? awaited_by_reader(director_.state_, member)
                                                 : awaited_by_writer(director_.state_, member.rank)),
                             {}};
}

// Leased memory ---------------------------------------------------------------------------------------------------

base::Result<LeasedMemory*> Reception::lease_of(const Request& request) const {
    LeasedMemory* const lease = request.member == nullptr || request.member->reads
                                    ? nullptr
                                    : director_.state_.members.writer(request.member->rank).lease.get();
    return lease == nullptr ? base::fail(ErrorCode::protocol, "stream '{}' has leased no memory to who asks",
                                         director_.state_.settings.stream)
                            : base::Result<LeasedMemory*>(lease);
}

Reception::Answer Reception::lease(const Request& request) {
    const auto lease = lease_of(request);
    const auto bytes = integer_field(request.packet.body, "bytes", 1, INT64_MAX);
    if (!lease || !bytes) {
        return lease ? base::fail(bytes) : base::fail(lease);
    }
    const DirectorSettings& settings = director_.state_.settings;
    if (auto leased = director_.lease_more(*request.member, *bytes); !leased) {
        return base::fail(leased.error().code, "server '{}' has no more memory for stream '{}': {}", settings.server,
                          settings.stream, leased.error().message);
    }
    return transport::Packet{};
}

Reception::Answer Reception::end_lease(const Request& request) {
    const auto lease = lease_of(request);
    const auto bytes = integer_field(request.packet.body, "bytes", 1, INT64_MAX);
    if (lease && bytes) {
        (*lease)->end_lease(*bytes);
    }
    return std::nullopt;
}

// Leaving ---------------------------------------------------------------------------------------------------------

Reception::Answer Reception::leave(const Request& request) {
    if (request.member != nullptr) {
        director_.lose_member(request.member->id, std::nullopt);
    }
    return std::nullopt;
}

/// A writer rank says that it cannot go on. It leaves afterwards.
Reception::Answer Reception::fail(const Request& request) {
    director_.attend();  // what it wrote before counts
    if (request.member != nullptr && !request.member->reads) {
        const int rank = request.member->rank;
        std::string reason = text_field(request.packet.body, "reason").value_or("no reason given");
        if (director_.is_staged(rank)) {
            director_.say_staged(rank, {.kind = Said::Kind::failed, .reason = std::move(reason)});
        } else {
            director_.lose_writer(rank, reason);
        }
        director_.switchboard_->wake();
    }
    return std::nullopt;
}

/// A caller whose patience ended must not linger as a rank that never comes.
Reception::Answer Reception::give_up(const Request& request) {
    Members& members = director_.state_.members;
    const std::int64_t ticket = integer_field(request.packet.body, "ticket", 0, INT64_MAX).value_or(0);
    std::erase_if(members.deferred, [&](const DeferredJoin& join) {
        return join.link == request.link && integer_field(join.request, "ticket", 0, INT64_MAX) == ticket;
    });
    if (const Member* const admitted = members.find(request.link, ticket)) {
        director_.lose_member(admitted->id, std::nullopt);
    }
    return std::nullopt;
}

// Looking ---------------------------------------------------------------------------------------------------------

Attributes Reception::describe() {
    Attributes report;
    std::uint64_t layout = 0;
    std::vector<std::byte> bytes;
    {
        const std::lock_guard lock(director_.mutex_);
        director_.attend();
        report = report_of(director_.state_);
        layout = director_.state_.book->newest_layout();
        if (!variables_.are_of(layout)) {
            bytes = director_.state_.book->bytes_of_newest_layout();
        }
    }
    report["variables"] = variables_.list(layout, bytes);
    return report;
}

}  // namespace staithe::stream
