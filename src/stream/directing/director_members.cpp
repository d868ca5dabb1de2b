// The director's members: writer ranks above 0 and reader ranks, how they join, leave and die.
#include <algorithm>
#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "stream/directing/director.hpp"

namespace staithe::stream {
namespace {

// Beside the records and releases of the steps in the queue: the end, a loss, and room for a race of the two.
constexpr std::uint64_t other_messages = 4;

}  // namespace

void Director::handle(const std::shared_ptr<transport::Link>& link, transport::Packet packet) {
    const std::string type = text_field(packet.body, "type").value_or("");
    const std::int64_t id = integer_field(packet.body, "id", 0, INT64_MAX).value_or(0);
    if (find(packet.body, "member") != nullptr && !speaks_for_itself(link, packet.body)) {
        if (find(packet.body, "id") != nullptr) {
            static_cast<void>(link->reply(
                id, base::fail(ErrorCode::protocol, "stream '{}' has no such member here", settings_.stream)));
        }
        return;
    }
    if (type == message_type::leave) {
        if (const auto member = integer_field(packet.body, "member", 0, INT64_MAX)) {
            lose_member(*member, true);
        }
        return;
    }
    if (type == message_type::fail) {
        fail_member(packet.body);
        return;
    }
    if (type == message_type::give_up) {
        give_up_join(link, packet.body);
        return;
    }
    base::Result<> joined;
    if (type == message_type::join_writer) {
        joined = join_writer(link, packet.body, std::move(packet.descriptors));
    } else if (type == message_type::join_reader) {
        joined = join_reader(link, packet.body);
    } else if (type == message_type::pools) {
        joined = send_pools(link, packet.body);
    } else {
        base::Result<Attributes> answer = base::fail(
            ErrorCode::protocol, "stream '{}' does not understand '{}': use one version of Staithe on both sides",
            settings_.stream, type);
        if (type == message_type::ready) {
            answer = set_ready(packet.body);
        } else if (type == message_type::detach) {
            answer = detach(packet.body);
        } else if (type == message_type::pause) {
            answer = pause(packet.body);
        } else if (type == message_type::resume) {
            answer = resume(packet.body);
        } else if (type == message_type::follow) {
            answer = follow(packet.body);
        } else if (type == message_type::awaits) {
            answer = awaits(packet.body);
        } else if (type == message_type::describe) {
            const std::lock_guard lock(mutex_);
            answer = report();
        }
        static_cast<void>(link->reply(id, std::move(answer)));
        return;
    }
    if (!joined) {
        static_cast<void>(link->reply(id, base::fail(std::move(joined))));
    }
}

bool Director::speaks_for_itself(const std::shared_ptr<transport::Link>& link, const Attributes& request) const {
    const auto id = integer_field(request, "member", 0, INT64_MAX);
    const std::lock_guard lock(mutex_);
    const auto member = id ? members_.find(*id) : members_.end();
    return member != members_.end() && member->second.link == link;
}

base::Result<std::int64_t> Director::add_member(const std::shared_ptr<transport::Link>& link, int rank,
                                                const Attributes& request, MemberMemory& memory) {
    // Of the process: who goes on with a stream that was opened here again takes leave of the one before by its old id.
    static std::atomic<std::int64_t> ids{0};
    const std::int64_t id = ++ids;
    auto on_close = link->on_close([weak = weak_from_this(), id] {
        if (const auto self = weak.lock()) {
            self->lose_member(id, false);
        }
    });
    if (!on_close) {
        return base::fail(ErrorCode::peer_lost, "{} is gone", transport::to_string(link->peer()));
    }
    auto allocation = control_->allocate(memory.bytes());
    if (!allocation) {
        return base::fail(std::move(allocation));
    }
    std::fill_n(allocation->data, allocation->bytes, std::byte{0});
    memory.offset = allocation->offset;
    Member member;
    member.link = link;
    member.on_close = std::move(on_close);
    member.ticket = integer_field(request, "ticket", 0, INT64_MAX).value_or(0);
    member.memory = *allocation;
    member.head = reinterpret_cast<MemberHead*>(allocation->data);
    member.down = {memory.down(allocation->data), memory.down_slots};
    member.up = {memory.up(allocation->data), memory.up_slots};
    member.rank = rank;
    members_.emplace(id, std::move(member));
    return id;
}

Joined Director::answer_for(std::int64_t member, const MemberMemory& memory) const {
    Joined joined;
    joined.member = member;
    joined.memory = memory;
    joined.writers = settings_.writers;
    joined.first_step = first_step_;
    joined.queue = settings_.queue;
    joined.attributes = settings_.attributes;
    if (const ReaderGroup* const group = members_.at(member).group; group != nullptr) {
        joined.on_request = !group->overflow.is_lossless();
    }
    for (const WriterRank& writer : writers_) {
        joined.writer_of.push_back(writer.peer);
    }
    return joined;
}

bool Director::all_writers_joined() const {
    return std::all_of(writers_.begin(), writers_.end(), [](const WriterRank& writer) { return bool(writer.pool); });
}

base::Result<> Director::join_writer(const std::shared_ptr<transport::Link>& link, const Attributes& request,
                                     std::vector<os::FileDescriptor> descriptors) {
    const auto rank = integer_field(request, "rank", 1, most_ranks);
    const auto size = integer_field(request, "size", 1, most_ranks);
    const auto id = integer_field(request, "id", 0, INT64_MAX);
    const std::size_t pools = settings_.queue.spill_bytes > 0 ? 2 : 1;
    if (!rank || !size || !id || descriptors.empty()) {
        return base::fail(ErrorCode::protocol, "a writer rank's request is garbled");
    }
    if (auto checked = os::check_shared_memory(descriptors.front()); !checked) {
        return base::fail(ErrorCode::protocol, "writer rank {} of stream '{}': {}", *rank, settings_.stream,
                          checked.error().message);
    }
    const std::lock_guard lock(mutex_);
    if (*size != settings_.writers || *rank >= *size || text_field(request, "group") != settings_.group_id) {
        return base::fail(
            ErrorCode::invalid_argument,
            "rank {} of {} cannot join the writer group of stream '{}', which {} opened with {} ranks: is "
            "another run writing it?",
            *rank, *size, settings_.stream, transport::to_string(endpoint_->self()), settings_.writers);
    }
    WriterRank& writer = writers_[static_cast<std::size_t>(*rank)];
    if (writer.pool) {
        return base::fail(ErrorCode::already_exists, "rank {} of the writer group of stream '{}' is there already: {}",
                          *rank, settings_.stream, transport::to_string(writer.peer));
    }
    if (descriptors.size() != pools) {
        return base::fail(ErrorCode::invalid_argument,
                          "rank {} of the writer group of stream '{}' and rank 0 do not agree on the overflow policy: "
                          "give all ranks the same",
                          *rank, settings_.stream);
    }
    const std::uint64_t steps = settings_.queue.capacity();
    MemberMemory memory{0, transport::ring_slots(steps + other_messages),
                        transport::ring_slots(steps + other_messages)};
    auto member = add_member(link, static_cast<int>(*rank), request, memory);
    if (!member) {
        return base::fail(std::move(member));
    }
    writer.member = &members_.at(*member);
    writer.peer = link->peer();
    base::log(base::LogLevel::debug, "stream '{}': writer rank {} of {} has joined: {}", settings_.stream, *rank, *size,
              transport::to_string(writer.peer));
    writer.pool = std::move(descriptors.front());
    if (pools > 1) {
        writer.spill_pool = std::move(descriptors.back());
    }
    auto sent = link->reply(*id, encode(answer_for(*member, memory)), {control_->file().get()});
    if (sent && lost_writer_ >= 0) {
        tell_loss(*writer.member);
    }
    if (sent && all_writers_joined()) {
        answer_deferred();
    }
    return {};
}

base::Result<> Director::join_reader(const std::shared_ptr<transport::Link>& link, const Attributes& request) {
    const std::lock_guard lock(mutex_);
    // Who waits for the writer to come back is answered when this one has gone.
    if (!all_writers_joined() || (lost_writer_ >= 0 && goes_on(request))) {
        std::erase_if(deferred_, [](const DeferredJoin& join) { return !join.link->is_open(); });
        deferred_.push_back({link, request, os::coarse_monotonic_nanoseconds()});
        return {};
    }
    auto joined = admit_reader(link, request);
    if (!joined) {
        return base::fail(std::move(joined));
    }
    static_cast<void>(
        link->reply(integer_field(request, "id", 0, INT64_MAX).value_or(0), encode(*joined), {control_->file().get()}));
    return {};
}

void Director::answer_deferred() {
    for (const DeferredJoin& join : std::exchange(deferred_, {})) {
        const std::int64_t id = integer_field(join.request, "id", 0, INT64_MAX).value_or(0);
        if (auto joined = admit_reader(join.link, join.request)) {
            static_cast<void>(join.link->reply(id, encode(*joined), {control_->file().get()}));
        } else {
            static_cast<void>(join.link->reply(id, base::fail(std::move(joined))));
        }
    }
}

base::Result<Joined> Director::admit_reader(const std::shared_ptr<transport::Link>& link, const Attributes& request) {
    const auto rank = integer_field(request, "rank", 0, most_ranks);
    auto wanted = read_group(request);
    if (!wanted) {
        return base::fail(std::move(wanted));
    }
    if (!rank || *rank >= wanted->size) {
        return base::fail(ErrorCode::protocol, "a reader rank's request is garbled");
    }
    if (!wanted->overflow.is_lossless()) {
        // It asks for steps while rank 0 computes.
        if (auto started = start_service(); !started) {
            return base::fail(std::move(started));
        }
    }
    const std::uint64_t steps = settings_.queue.capacity();
    MemberMemory memory{0,
                        transport::ring_slots(steps * static_cast<std::uint64_t>(settings_.writers) + other_messages),
                        transport::ring_slots(steps + other_messages)};
    const auto id = add_member(link, static_cast<int>(*rank), request, memory);
    if (!id) {
        return base::fail(id);
    }
    ReaderGroup& group = find_forming_group(*std::move(wanted), static_cast<int>(*rank));
    Member& member = members_.at(*id);
    member.group = &group;
    group.members[static_cast<std::size_t>(*rank)] = &member;
    if (*rank == 0) {
        group.pid = link->peer().pid;
    }
    base::log(base::LogLevel::debug, "stream '{}': reader rank {} of {} of group '{}' has joined: {}", settings_.stream,
              *rank, group.size, group.program, transport::to_string(link->peer()));
    return answer_for(*id, memory);
}

base::Result<> Director::send_pools(const std::shared_ptr<transport::Link>& link, const Attributes& request) {
    const std::lock_guard lock(mutex_);
    const auto first = integer_field(request, "first", 0, settings_.writers - 1);
    const auto id = integer_field(request, "id", 0, INT64_MAX);
    if (!first || !id || !all_writers_joined()) {
        return base::fail(ErrorCode::protocol, "a request for pools is garbled or comes too early");
    }
    const Value* spill = find(request, "spill");
    const bool on_disk = spill != nullptr && spill->as_bool().value_or(false);
    if (on_disk && settings_.queue.spill_bytes == 0) {
        return base::fail(ErrorCode::protocol, "a reader rank asks stream '{}' for pools that it has not",
                          settings_.stream);
    }
    std::vector<int> descriptors;
    for (auto rank = static_cast<std::size_t>(*first);
         rank < writers_.size() && descriptors.size() < os::max_descriptors_per_message; ++rank) {
        const WriterRank& writer = writers_[rank];
        descriptors.push_back((on_disk ? writer.spill_pool : writer.pool).get());
    }
    return link->reply(*id, Attributes{}, descriptors);
}

/// A writer rank says that it cannot go on. It leaves afterwards.
void Director::fail_member(const Attributes& request) {
    const std::lock_guard lock(mutex_);
    drain();  // what it wrote before counts
    const auto id = integer_field(request, "member", 0, INT64_MAX);
    const auto member = id ? members_.find(*id) : members_.end();
    if (member != members_.end() && member->second.group == nullptr) {
        lose_writer(member->second.rank, text_field(request, "reason").value_or("no reason given"));
        transport::ring(*bell_);
    }
}

// A caller whose patience ended must not linger as a rank that never comes.
void Director::give_up_join(const std::shared_ptr<transport::Link>& link, const Attributes& request) {
    const std::int64_t ticket = integer_field(request, "ticket", 0, INT64_MAX).value_or(0);
    std::int64_t admitted = -1;
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(deferred_, [&](const DeferredJoin& join) {
            return join.link == link && integer_field(join.request, "ticket", 0, INT64_MAX) == ticket;
        });
        for (const auto& [id, member] : members_) {
            if (member.link == link && member.ticket == ticket) {
                admitted = id;
            }
        }
    }
    lose_member(admitted, true);
}

void Director::lose_member(std::int64_t id, bool by_leaving) {
    const std::lock_guard lock(mutex_);
    drain();  // what it said before counts
    const auto found = members_.find(id);
    if (found == members_.end()) {
        return;
    }
    Member member = std::move(found->second);
    members_.erase(found);
    base::log(base::LogLevel::debug, "stream '{}': {} rank {} {}: {}; it held {} steps", settings_.stream,
              member.group == nullptr ? "writer" : "reader", member.rank, by_leaving ? "has left" : "is gone",
              transport::to_string(member.link->peer()), member.held.size());
    if (member.group == nullptr) {
        writers_[static_cast<std::size_t>(member.rank)].member = nullptr;
        lose_writer(member.rank);
    } else {
        ReaderGroup& group = *member.group;
        group.members[static_cast<std::size_t>(member.rank)] = nullptr;
        if (!by_leaving && !ended_) {
            base::log(base::LogLevel::warn, "stream '{}': reader {} rank {} is gone", settings_.stream,
                      transport::to_string(member.link->peer()), member.rank);
        }
        for (const std::int64_t number : std::exchange(member.held, {})) {
            let_go(*find_step(number), member);
        }
        const bool is_empty = std::all_of(group.members.begin(), group.members.end(),
                                          [](const Member* other) { return other == nullptr; });
        if (is_empty && (group.active || !group.is_inline)) {
            withdraw_all(group, false);
            groups_.remove_if([&](const ReaderGroup& each) { return &each == &group; });
        }
        settle_all();
        balance();
    }
    control_->free(member.memory);
    transport::ring(*bell_);
}

}  // namespace staithe::stream
