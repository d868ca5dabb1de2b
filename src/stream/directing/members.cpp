#include "stream/directing/members.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "stream/describing/record.hpp"
#include "stream/directing/protocol.hpp"
#include "transport/ring.hpp"

namespace staithe::stream {
namespace {

// Beside those of the steps in the queue: the end, a loss, and room for a race of the two.
constexpr std::uint64_t other_messages = 4;
// Of one step to one member: a layout and the announcement, or that it was fetched, that it rests and that it is freed;
// and its wish for the step, its taking it back, its release.
constexpr std::uint64_t messages_of_a_step = 3;

}  // namespace

std::int64_t Members::next_id() {
    // Of the process: who goes on with a stream that was opened here again takes leave of the one before by its old id.
    static std::atomic<std::int64_t> ids{0};
    return ++ids;
}

const os::FileDescriptor* WriterRank::file(bool on_disk) const {
    if (on_disk) {
        return spill_pool ? &spill_pool : nullptr;
    }
    return pool ? std::visit([](const auto& way) { return &way->file(); }, *pool) : nullptr;
}

base::Result<Members::Admission> Members::admit(transport::Switchboard& switchboard, Member member,
                                                std::uint64_t steps) {
    const std::uint64_t slots = transport::ring_slots(steps * messages_of_a_step + other_messages);
    using Where = transport::Switchboard::Member;
    auto connection = switchboard.connect_member(
        slots, slots, member.link->is_between_hosts() ? Where::far : Where::near, member.reads ? 0 : most_record_bytes);
    if (!connection) {
        return base::fail(std::move(connection));
    }
    member.channel = std::move(connection->channel);
    member.most_messages = static_cast<std::size_t>(slots);
    const std::int64_t id = member.id;
    auto& place = members_[id];
    place = std::make_unique<Member>(std::move(member));
    if (place->reads) {
        auto free = std::find(readers_.begin(), readers_.end(), nullptr);
        if (free == readers_.end()) {
            free = readers_.insert(free, nullptr);
        }
        *free = place.get();
        place->number = static_cast<int>(free - readers_.begin());
    }
    return Admission{place.get(), std::move(connection->description), std::move(connection->descriptors),
                     place->link->is_between_hosts() ? std::move(connection->attach) : nullptr};
}

Member* Members::find(std::int64_t id) {
    const auto member = members_.find(id);
    return member == members_.end() ? nullptr : member->second.get();
}

const Member* Members::find(std::int64_t id) const {
    const auto member = members_.find(id);
    return member == members_.end() ? nullptr : member->second.get();
}

Member* Members::find(const std::shared_ptr<transport::Link>& link, std::int64_t ticket) {
    const auto member = std::find_if(members_.begin(), members_.end(), [&](const auto& entry) {
        return entry.second->link == link && entry.second->ticket == ticket;
    });
    return member == members_.end() ? nullptr : member->second.get();
}

std::unique_ptr<Member> Members::remove(std::int64_t id) {
    const auto found = members_.find(id);
    if (found == members_.end()) {
        return nullptr;
    }
    auto member = std::move(found->second);
    members_.erase(found);
    if (member->reads) {
        readers_[static_cast<std::size_t>(member->number)] = nullptr;
    } else {
        writer(member->rank).member = nullptr;
    }
    return member;
}

const transport::PeerPool* Members::pool_of_store(std::uint32_t store) const {
    if (store == store_of_depot(static_cast<int>(writers_.size()), 0)) {
        return depot ? &*depot : nullptr;
    }
    return store < writers_.size() && writers_[store].pool ? &*writers_[store].pool : nullptr;
}

bool Members::all_writers_joined() const {
    return std::all_of(writers_.begin(), writers_.end(), [](const WriterRank& writer) { return writer.has_joined; });
}

bool Members::writers_are_apart() const {
    return std::any_of(writers_.begin(), writers_.end(),
                       [](const WriterRank& writer) { return writer.has_joined && !writer.pool; });
}

}  // namespace staithe::stream
