// How members come to a director, and go.
#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/requests.hpp"
#include "transport/channel/loss.hpp"
#include "transport/peer_pool.hpp"
#include "transport/pool_file.hpp"

namespace staithe::stream {

/// The process of a member of another host connects for its channel, and may ask for the blocks that are here.
base::Result<> Director::welcome_from_afar(Members::Admission& admission) {
    if (!admission.attach) {
        return {};
    }
    if (auto room = endpoint_->check_room_for_member(); !room) {
        return base::fail(room.error().code, "stream '{}': {} takes nobody else of another host in now: {}",
                          state_.settings.stream, transport::to_string(state_.self), room.error().message);
    }
    if (!offer_) {
        auto offer = BlockOffer::make(
            endpoint_, service_of_blocks(state_.settings.stream, 0),
            [weak = weak_from_this()]() -> base::Result<BlockOffer::Files> {
                const auto self = weak.lock();
                return self ? self->files_held_here() : BlockOffer::Files();
            },
            state_.settings.listen, state_.tracer);
        if (!offer) {
            return base::fail(std::move(offer));
        }
        offer_ = *std::move(offer);
    }
    Member& member = *admission.member;
    auto kept = std::make_shared<os::FileDescriptor>(os::spare_descriptor());  // the connection's, until it comes
    auto awaited = endpoint_->take_connections(
        *member.link, channel_purpose(state_.settings.stream, member.id),
        [attach = std::move(admission.attach), kept = std::move(kept)](os::FileDescriptor socket) {
            *kept = os::FileDescriptor();
            if (const auto attached = attach(std::move(socket)); !attached) {
                base::log(base::LogLevel::warn, "a member of another host has no channel: {}",
                          attached.error().message);
            }
        });
    if (!awaited) {
        return base::fail(std::move(awaited));
    }
    member.awaited_channel = *std::move(awaited);
    member.traffic = member.reads ? offer_->traffic_to(member.link) : nullptr;
    return {};
}

/// Of the ranks that this process has the pools of, by the numbers of their stores.
base::Result<BlockOffer::Files> Director::files_held_here() const {
    const std::lock_guard lock(mutex_);
    BlockOffer::Files files;
    const int writers = state_.settings.writers;
    for (int rank = 0; rank < writers; ++rank) {
        const WriterRank& writer = state_.members.writer(rank);
        for (const bool on_disk : {false, true}) {
            if (const os::FileDescriptor* const file = writer.file(on_disk)) {
                auto copy = file->duplicate();
                if (!copy) {
                    return base::fail(std::move(copy));
                }
                files[static_cast<std::uint32_t>(on_disk ? writers + rank : rank)] = *std::move(copy);
            }
        }
    }
    if (depot_) {
        auto file = os::duplicate_read_only(depot_->file());
        if (!file) {
            return base::fail(std::move(file));
        }
        files[store_of_depot(writers, 0)] = *std::move(file);
    }
    return files;
}

base::Result<Members::Admission> Director::admit(const std::shared_ptr<transport::Link>& link,
                                                 const Attributes& request, int rank, bool reads) {
    Member member;
    member.id = Members::next_id();
    member.rank = rank;
    member.reads = reads;
    member.link = link;
    member.ticket = integer_field(request, "ticket", 0, INT64_MAX).value_or(0);
    auto admission = state_.members.admit(*switchboard_, std::move(member), state_.settings.queue.capacity());
    if (!admission) {
        return admission;
    }
    Member& admitted = *admission->member;
    admitted.when_lost = transport::when_lost(*link, admitted.channel, endpoint_->loop(),
                                              [weak = weak_from_this(), id = admitted.id](const std::string& how) {
                                                  if (const auto self = weak.lock()) {
                                                      const std::lock_guard lock(self->mutex_);
                                                      self->lose_member(id, how);
                                                  }
                                              });
    if (!admitted.when_lost) {
        static_cast<void>(state_.members.remove(admitted.id));
        return base::fail(ErrorCode::peer_lost, "{} is gone", transport::to_string(link->peer()));
    }
    return admission;
}

base::Result<transport::Packet> Director::answer_for(Members::Admission admission, bool on_request) const {
    Joined joined;
    joined.member = admission.member->id;
    joined.channel = std::move(admission.channel);
    joined.writers = state_.settings.writers;
    joined.first_step = state_.first_step;
    joined.queue = state_.settings.queue;
    joined.attributes = state_.settings.attributes;
    joined.on_request = on_request;
    for (const WriterRank& writer : state_.members.writers()) {
        joined.writer_of.push_back(writer.peer);
    }
    joined.server = state_.settings.server;
    for (std::size_t depot = 0; staging_ && depot < staging_->depots(); ++depot) {
        joined.depots.push_back(staging_->contact(depot));
    }
    joined.depot_service = far_depots_.service;
    joined.twin = state_.settings.twin;
    transport::Packet answer{encode(joined), std::move(admission.descriptors)};
    if (transport::sees_memory(joined.channel)) {
        auto segment = os::duplicate_read_only(state_.book->file());
        if (!segment) {
            return base::fail(std::move(segment));
        }
        answer.descriptors.push_back(*std::move(segment));
    }
    return answer;
}

base::Result<transport::Packet> Director::join_writer(const std::shared_ptr<transport::Link>& link,
                                                      const Attributes& request,
                                                      std::vector<os::FileDescriptor> pools) {
    const DirectorSettings& settings = state_.settings;
    const auto rank = integer_field(request, "rank", is_hosted() ? 0 : 1, most_ranks);
    const auto size = integer_field(request, "size", 1, most_ranks);
    const auto pool_count = is_hosted() ? base::Result<std::int64_t>(0) : integer_field(request, "pools", 1, 2);
    const bool is_far = link->is_between_hosts();
    const Value* const entry_text = find(request, "entry");
    if (!rank || !size || !pool_count || (is_far && entry_text == nullptr) ||
        pools.size() != static_cast<std::size_t>(is_far ? 0 : *pool_count)) {
        return base::fail(ErrorCode::protocol, "a writer rank's request is garbled");
    }
    std::optional<transport::Entry> entry;
    if (entry_text != nullptr) {
        auto understood = transport::entry_from_json(
            fmt::format("the contact of writer rank {}", *rank), transport::Kind::stream, settings.stream,
            entry_text->as_string() == nullptr ? "" : *entry_text->as_string());
        if (!understood) {
            return base::fail(std::move(understood));
        }
        entry = *std::move(understood);
    }
    if (is_hosted() && (state_.queue->all_finished() || state_.queue->lost_writer())) {
        // Its next writer's rank 0 may be about to come: until then this one waits, as if there were none.
        return base::fail(ErrorCode::not_found, "stream '{}' has been written, and rank 0 has not opened it again",
                          settings.stream);
    }
    std::optional<transport::PeerPool> pool;
    if (!is_far && !is_hosted()) {
        // Not populated: only records are looked at here, never the data. They are copied out at once, so that a rank
        // that lets its pool grow page by page does not use up the mappings that this process may have.
        auto opened = transport::open_peer_pool(std::move(pools.front()), os::Populate::no,
                                                transport::MappedPool::Stay::until_next_call);
        if (!opened) {
            return base::fail(ErrorCode::protocol, "writer rank {} of stream '{}': {}", *rank, settings.stream,
                              opened.error().message);
        }
        pool = *std::move(opened);
    }
    if (*size != settings.writers || *rank >= *size || text_field(request, "group") != settings.group_id) {
        return base::fail(
            ErrorCode::invalid_argument,
            "rank {} of {} cannot join the writer group of stream '{}', which {} opened with {} ranks: is "
            "another run writing it?",
            *rank, *size, settings.stream, transport::to_string(state_.self), settings.writers);
    }
    WriterRank& writer = state_.members.writer(static_cast<int>(*rank));
    if (writer.has_joined) {
        return base::fail(ErrorCode::already_exists, "rank {} of the writer group of stream '{}' is there already: {}",
                          *rank, settings.stream, transport::to_string(writer.peer));
    }
    if (!is_hosted() && *pool_count != (settings.queue.spill_bytes > 0 ? 2 : 1)) {
        return base::fail(ErrorCode::invalid_argument,
                          "rank {} of the writer group of stream '{}' and rank 0 do not agree on the overflow policy: "
                          "give all ranks the same",
                          *rank, settings.stream);
    }
    if (pools.size() > 1) {
        if (auto checked = transport::PoolFile::check(pools.back()); !checked) {
            return base::fail(std::move(checked));
        }
    }
    auto admission = admit(link, request, static_cast<int>(*rank), false);
    if (!admission) {
        return base::fail(std::move(admission));
    }
    auto prepared = is_hosted() && !is_far ? lease_memory(static_cast<int>(*rank)) : welcome_from_afar(*admission);
    if (prepared && is_hosted() && is_far) {
        prepared = expect_from_afar(static_cast<int>(*rank), *entry);
    }
    if (!prepared) {
        static_cast<void>(state_.members.remove(admission->member->id));
        return base::fail(prepared);
    }
    writer.member = admission->member;
    writer.has_joined = true;
    writer.peer = link->peer();
    if (!is_hosted()) {
        writer.pool = std::move(pool);
    }
    if (!is_hosted()) {  // else readers have nothing to ask it for
        writer.entry = std::move(entry);
    }
    if (pools.size() > 1) {
        writer.spill_pool = std::move(pools.back());
    }
    base::log(base::LogLevel::debug, "stream '{}': writer rank {} of {} has joined: {}", settings.stream, *rank, *size,
              transport::to_string(writer.peer));
    auto answer = answer_for(*std::move(admission), false);
    if (answer && writer.lease) {
        auto memory = writer.lease->pass_on();
        if (!memory) {
            return base::fail(std::move(memory));
        }
        answer->descriptors.push_back(*std::move(memory));
    }
    return answer;
}

/// Who reads waits for all writer ranks, and one that goes on for the writer to come back: it is answered when this one
/// has gone.
bool Director::must_wait(const Attributes& request) const {
    return !state_.members.all_writers_joined() || (state_.queue->lost_writer() && goes_on(request));
}

/// No process takes so many places, or founds groups of so many, that others find no memory or mappings left.
base::Result<> Director::check_share(const std::shared_ptr<transport::Link>& link, std::int64_t size) const {
    std::int64_t members = 0;
    std::int64_t places = size;
    for (const auto& [id, member] : state_.members.all()) {
        if (member->reads && member->link == link) {
            const StepQueue::Group& group = *state_.queue->member(member->number).group;
            ++members;
            places += static_cast<std::int64_t>(group.places.size()) / group.present;
        }
    }
    if (members >= Members::most_of_a_process || places > most_ranks) {
        return base::fail(
            ErrorCode::limit_reached,
            "stream '{}': {} has {} reader ranks in it, which are all that one process may have, or their "
            "groups are too large",
            state_.settings.stream, transport::to_string(link->peer()), members);
    }
    return {};
}

base::Result<transport::Packet> Director::join_reader(const std::shared_ptr<transport::Link>& link,
                                                      const Attributes& request) {
    const DirectorSettings& settings = state_.settings;
    const auto rank = integer_field(request, "rank", 0, most_ranks);
    auto wish = read_group_wish(request, settings);
    if (!wish) {
        return base::fail(std::move(wish));
    }
    if (!rank || *rank >= wish->size) {
        return base::fail(ErrorCode::protocol, "a reader rank's request is garbled");
    }
    if (auto checked = check_share(link, wish->size); !checked) {
        return base::fail(std::move(checked));
    }
    attend();  // what the others have released is gone
    if (state_.queue->is_too_late(*wish)) {
        // Not `not_found`, which a reader takes for a stream that may still appear.
        return base::fail(ErrorCode::invalid_argument,
                          "stream '{}': step {} is gone, the oldest that is left is {}: start there, or begin to read "
                          "earlier (the writer's `readers` says how many groups it keeps steps for)",
                          settings.stream, wish->start, state_.queue->oldest_step());
    }
    const bool on_request = !wish->overflow.is_lossless();
    if (on_request) {
        // It asks for steps while rank 0 computes.
        if (auto attends = attend_from_now_on(); !attends) {
            return base::fail(std::move(attends));
        }
    }
    auto admission = admit(link, request, static_cast<int>(*rank), true);
    if (!admission) {
        return base::fail(std::move(admission));
    }
    if (auto welcomed = welcome_from_afar(*admission); !welcomed) {
        static_cast<void>(state_.members.remove(admission->member->id));
        return base::fail(std::move(welcomed));
    }
    const StepQueue::Group& group = state_.queue->join(*wish, static_cast<int>(*rank), admission->member->number);
    deliver();
    auto& note =
        state_.groups.try_emplace(group.number, StreamState::GroupNote{os::wall_clock_seconds(), 0}).first->second;
    if (*rank == 0) {
        note.pid = link->peer().pid;
    }
    base::log(base::LogLevel::debug, "stream '{}': reader rank {} of {} of group '{}' has joined: {}", settings.stream,
              *rank, wish->size, group.program, transport::to_string(link->peer()));
    return answer_for(*std::move(admission), on_request);
}

void Director::lose_member(std::int64_t id, const std::optional<std::string>& how_lost) {
    attend();  // what it said before counts
    const auto member = state_.members.remove(id);
    if (!member) {
        return;
    }
    const bool by_leaving = !how_lost || member->has_left;
    const std::string who = transport::to_string(member->link->peer());
    if (!member->reads) {
        base::log(base::LogLevel::debug, "stream '{}': writer rank {} {}: {}", state_.settings.stream, member->rank,
                  by_leaving ? "has left" : "is gone", who);
        lose_writer(member->rank, {});
        if (staging_) {
            staging_->lose(member->rank);
        }
        if (is_hosted() && !is_staged(member->rank)) {
            reclaim(member->rank);
        }
        if (const auto& writers = state_.members.writers();
            staging_ && std::ranges::all_of(writers, [](const WriterRank& each) { return each.member == nullptr; })) {
            staging_->shrink();
        }
    } else {
        const StepQueue::Group* const group = state_.queue->member(member->number).group;
        const std::int64_t number = group->number;
        base::log(base::LogLevel::debug, "stream '{}': reader rank {} {}: {}; it held {} steps", state_.settings.stream,
                  member->rank, by_leaving ? "has left" : "is gone", who,
                  state_.queue->member(member->number).held.size());
        if (!by_leaving && !state_.queue->ended() && state_.queue->member(member->number).ready) {
            base::log(base::LogLevel::warn, "stream '{}': reader {} rank {} {}", state_.settings.stream, who,
                      member->rank, *how_lost);
        }
        state_.queue->leave(member->number);
        deliver();
        const auto& groups = state_.queue->groups();
        if (std::none_of(groups.begin(), groups.end(), [&](const auto& left) { return left.number == number; })) {
            state_.groups.erase(number);
        }
    }
    switchboard_->wake();
}

}  // namespace staithe::stream
