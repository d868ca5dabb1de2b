// Writer ranks elsewhere of a stream that a server directs: what they say counts once their blocks have come.
#include <utility>

#include "base/log.hpp"
#include "os/process_identity.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/writings.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::stream {
namespace {

constexpr base::Seconds between_tries{0.05};

}  // namespace

/// The rank joins. The depot of this server is made with the first one.
base::Result<> Director::expect_from_afar(int rank, const transport::Entry& entry) {
    if (!depot_) {
        auto depot = OwnDepot::open(endpoint_, state_.settings.stream);
        auto file = depot ? os::duplicate_read_only((*depot)->file()) : base::fail(depot);
        auto pool = file ? transport::open_peer_pool(*std::move(file), os::Populate::no,
                                                     transport::MappedPool::Stay::until_next_call)
                         : base::fail(file);
        if (!pool) {
            return base::fail(std::move(pool));
        }
        state_.members.depot = *std::move(pool);
        depot_ = *std::move(depot);
        staging_->add(depot_, os::this_process().boot, "");
        for (const FarDepots::Each& each : far_depots_.all) {
            add_to_staging(each);
        }
    }
    staging_->expect(rank, entry);
    advance_staging();
    return {};
}

void Director::add_to_staging(const FarDepots::Each& depot) {
    staging_->add(depot.depot, depot.server.process.boot, contact_of(depot.server));
}

/// False: it counts at once.
bool Director::hear_staged(Member& member, const transport::Message& message) {
    Said said{.kind = Said::Kind::record, .step = static_cast<std::int64_t>(message.step)};
    switch (static_cast<Hot>(message.kind)) {
        case Hot::record: {
            auto record = said_in(member, message);
            if (record) {
                said = *std::move(record);
            } else {
                distrust(member, fmt::format("has sent a record that is of no use: {}", record.error().message));
                said.kind = Said::Kind::abandoned;
            }
            break;
        }
        case Hot::abandoned: said.kind = Said::Kind::abandoned; break;
        case Hot::finished: said.kind = Said::Kind::finished; break;
        default: return false;
    }
    say_staged(member.rank, std::move(said));
    return true;
}

base::Result<Said> Director::said_in(const Member& member, const transport::Message& message) {
    const Writings writings(member.channel->take_enclosed().value_or(std::vector<std::byte>()), std::nullopt);
    const auto bytes = writings.copy_of(message.offset, message.bytes);
    const auto header = bytes ? read_record_header(*bytes, message.step) : base::fail(bytes);
    if (!header) {
        return base::fail(header);
    }
    const RecordView record = view_record(*bytes, *header);
    if (auto checked = check_stores(member.rank, record); !checked) {
        return base::fail(std::move(checked));
    }
    auto schema = writings.copy_of(header->schema_offset, header->schema_bytes);
    if (!schema) {
        return base::fail(std::move(schema));
    }
    return Said{.kind = Said::Kind::record,
                .step = static_cast<std::int64_t>(message.step),
                .schema = header->schema,
                .schema_bytes = *std::move(schema),
                .blocks = {record.blocks.begin(), record.blocks.end()},
                .attributes = {record.attributes.begin(), record.attributes.end()},
                .data_bytes = message.data_bytes,
                .reason = {}};
}

void Director::say_staged(int rank, Said said) {
    // Beside its steps it says that it has finished, or failed.
    if (staging_->waiting(rank) > state_.settings.queue.capacity() + 1) {
        if (Member* const member = state_.members.writer(rank).member) {
            distrust(*member, "has sent more records than the queue has room for");
        }
        return;
    }
    if (const auto said_so = staging_->say(rank, std::move(said)); !said_so) {
        lose_staged(rank, said_so.error());
        return;
    }
    take_what_counts(rank);
}

void Director::arrive(const Staging::Arrival& arrival) {
    if (!staging_->note(arrival)) {
        return;
    }
    if (!arrival.stowed) {
        const StepQueue& queue = *state_.queue;
        const bool is_full = arrival.stowed.error().code == ErrorCode::limit_reached;
        const bool is_next = staging_->lacks_room(arrival.rank);  // else it waits for those before it
        const bool may_get_room = is_full && (!is_next || let_oldest_go() || try_again_later(arrival.bytes) ||
                                              queue.complete_steps() > queue.steps_at_rest());
        if (!may_get_room) {
            lose_staged(arrival.rank, arrival.stowed.error());
        }
    }
    take_what_counts(arrival.rank);
    switchboard_->wake();
}

/// Nobody tells when other streams, or spaces, have given memory back. False if there is none to wait for.
bool Director::try_again_later(std::int64_t bytes) {
    if (!ask_others_for(bytes)) {
        return false;
    }
    if (!std::exchange(state_.lacks_memory, true)) {
        next_try_ = endpoint_->call_after(between_tries, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                const std::lock_guard lock(self->mutex_);
                self->state_.lacks_memory = false;
                static_cast<void>(self->staging_->try_again());  // where that fails, it is tried again later
            }
            return std::optional<base::Seconds>();
        });
    }
    return true;
}

/// Its blocks cannot be had.
void Director::lose_staged(int rank, const base::Failure& why) {
    staging_->lose(rank);
    const bool is_full = why.code == ErrorCode::limit_reached;
    lose_writer(rank, why.code == ErrorCode::peer_lost ? ""
                      : is_full ? fmt::format("server '{}' has no more memory for stream '{}': {}",
                                              state_.settings.server, state_.settings.stream, why.message)
                                : why.message);
}

void Director::take_what_counts(int rank) {
    take_of(rank);
    advance_staging();
}

/// Steps may have become complete: so what was said of the next ones counts. Of a stream that gets no further all
/// does, so that it is known to what each rank has come.
void Director::advance_staging() {
    while (staging_->advance(state_.trouble() ? INT64_MAX : state_.queue->next_step())) {
        for (int rank = 0; rank < state_.settings.writers; ++rank) {
            if (is_staged(rank)) {
                take_of(rank);
            }
        }
    }
}

void Director::take_of(int rank) {
    while (auto said = staging_->take_next(rank)) {
        Member* const member = state_.members.writer(rank).member;
        const bool is_step = said->kind == Said::Kind::record || said->kind == Said::Kind::abandoned;
        if (is_step && member != nullptr) {
            static_cast<void>(member->channel->send(hot_message(Hot::fetched, said->step)));
        }
        switch (said->kind) {
            case Said::Kind::record:
                if (const auto taken = take_part(rank, {said->step,
                                                        {said->schema, said->blocks, said->attributes},
                                                        said->schema_bytes,
                                                        said->data_bytes,
                                                        0});
                    !taken) {
                    if (member != nullptr) {
                        distrust(*member,
                                 fmt::format("has sent a record that is of no use: {}", taken.error().message));
                    }
                    record(rank, said->step, {.abandoned = true});
                }
                break;
            case Said::Kind::abandoned: record(rank, said->step, {.abandoned = true}); break;
            case Said::Kind::finished:
                state_.queue->finished(rank);
                deliver();
                end_if_written();
                break;
            case Said::Kind::failed:
                lose_writer(rank, said->reason);
                switchboard_->wake();
                break;
        }
    }
}

}  // namespace staithe::stream
