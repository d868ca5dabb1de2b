#include "stream/directing/director.hpp"

#include <utility>

#include "base/log.hpp"
#include "memory/sources.hpp"
#include "stream/directing/reception.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::stream {
namespace {

// A writer rank that is far ahead of others is woken once so large a part of the queue is free.
constexpr int parts_of_queue = 4;

}  // namespace

Director::Director(std::shared_ptr<transport::Endpoint> endpoint, DirectorSettings settings)
    : endpoint_(std::move(endpoint)),
      reception_(std::make_shared<Reception>(*this)),
      state_(std::move(settings), endpoint_->self()) {}

base::Result<std::shared_ptr<Director>> Director::start(std::shared_ptr<transport::Endpoint> endpoint,
                                                        DirectorSettings settings, const memory::Pool& pool,
                                                        const memory::Pool* spill_pool) {
    std::shared_ptr<Director> director(new Director(std::move(endpoint), std::move(settings)));
    auto opened = director->take_pools(pool, spill_pool);
    if (opened) {
        opened = director->open();
    }
    return opened ? base::Result<std::shared_ptr<Director>>(std::move(director)) : base::fail(std::move(opened));
}

base::Result<> Director::take_pools(const memory::Pool& pool, const memory::Pool* spill_pool) {
    auto own_pool = os::duplicate_read_only(pool.file()).and_then([](auto file) {
        return transport::open_peer_pool(std::move(file), os::Populate::no);
    });
    if (!own_pool) {
        return base::fail(std::move(own_pool));
    }
    WriterRank& rank_0 = state_.members.writer(0);
    rank_0.peer = endpoint_->self();
    rank_0.has_joined = true;
    rank_0.pool = *std::move(own_pool);
    if (spill_pool != nullptr) {
        auto file = os::duplicate_read_only(spill_pool->file());
        if (!file) {
            return base::fail(std::move(file));
        }
        rank_0.spill_pool = *std::move(file);
    }
    return {};
}

base::Result<> Director::open() {
    const DirectorSettings& settings = state_.settings;
    auto segment = memory::open_pool("staithe:" + settings.stream + ":steps", memory::in_sealed_memory);
    if (!segment) {
        return base::fail(std::move(segment));
    }
    state_.book.emplace(*std::move(segment), settings.writers);
    auto switchboard = transport::Switchboard::create(endpoint_->loop(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) {
            return false;
        }
        const std::lock_guard lock(self->mutex_);
        return self->attend();
    });
    if (!switchboard) {
        return base::fail(std::move(switchboard));
    }
    switchboard_ = *std::move(switchboard);
    publication_ = std::make_unique<Publication>(endpoint_, settings.stream);
    {
        // Who finds the stream waits until it is known with which step it begins.
        const std::lock_guard lock(mutex_);
        auto opened = publication_->open(
            [weak = weak_from_this()](const auto& link, auto packet) {
                if (const auto self = weak.lock()) {
                    self->reception_->handle(link, std::move(packet));
                }
            },
            settings);
        state_.first_step = opened ? std::max(publication_->progress().next_step(), settings.first_step) : 0;
        state_.queue.emplace(StepQueue::Settings{settings.writers, settings.queue, settings.overflow,
                                                 settings.expected_readers, state_.first_step});
        if (opened && (settings.writers > 1 || is_hosted())) {
            opened = attend_from_now_on();
        }
        if (!opened) {
            stopped_ = true;  // there is nothing to end
            return opened;
        }
    }
    base::log(base::LogLevel::debug, "stream '{}': opened with step {} by {} writer ranks, overflow {}",
              settings.stream, state_.first_step, settings.writers, to_string(settings.overflow));
    return {};
}

Director::~Director() {
    if (publication_) {
        stop();
    }
}

/// Rank 0 may compute while something has to be done.
base::Result<> Director::attend_from_now_on() {
    if (!attends_) {
        if (auto listening = switchboard_->listen(true); !listening) {
            return listening;
        }
        attends_ = true;
    }
    return {};
}

bool Director::attend() {
    bool any = false;
    for (const auto& [id, member] : state_.members.all()) {
        Member& from = *member;
        const auto heard = from.channel->drain(from.most_messages, [&](const transport::Message& message) {
            from.reads ? hear_reader(from, message) : hear_writer(from, message);
        });
        any = any || heard > 0;
    }
    if (any && attends_) {
        switchboard_->wake();  // rank 0 may wait for what this thread has found, or the other way round
    }
    return any;
}

// What they are told ----------------------------------------------------------------------------------------------

void Director::deliver() {
    using Kind = StepQueue::Delivery::Kind;
    bool concerns_writers = false;
    bool any_freed = false;
    bool any_at_rest = false;
    for (const StepQueue::Delivery& delivery : state_.queue->deliveries()) {
        switch (delivery.kind) {
            case Kind::published:
                publish(delivery);
                concerns_writers = true;
                break;
            case Kind::announce: announce(delivery); break;
            case Kind::at_rest:
                tell_writers(Hot::at_rest, delivery.step);
                concerns_writers = true;
                any_at_rest = true;
                break;
            case Kind::freed:
                tell_writers(Hot::freed, delivery.step);
                concerns_writers = true;
                state_.book->forget(delivery.step);
                if (staging_) {
                    staging_->forget(delivery.step);
                }
                any_freed = true;
                break;
            case Kind::skipped:
                for (const auto& [id, member] : state_.members.all()) {
                    if (member->reads) {
                        member->channel->show(shown_by_director::passed, delivery.step + 1);
                        member->channel->ring();
                    }
                }
                break;
            case Kind::dropped: tell_dropped(delivery); break;
            case Kind::activated:
                base::log(base::LogLevel::debug,
                          "stream '{}': reader group '{}' is complete and starts with step {}, overflow {}",
                          state_.settings.stream, delivery.group->program, delivery.group->start,
                          to_string(delivery.group->overflow));
                switchboard_->wake();
                break;
            case Kind::lost: tell(delivery, [this](Member& member) { tell_loss(member); }); break;
            case Kind::ended:
                tell(delivery, [](Member& member) { static_cast<void>(member.channel->send(hot_message(Hot::end))); });
                break;
        }
    }
    state_.queue->deliveries().clear();
    if (concerns_writers) {
        wake_writers();
    }
    if (any_freed && is_hosted()) {
        reclaim_of_those_gone();
    }
    if (staging_ && (any_freed || any_at_rest)) {
        if (const auto begun = staging_->try_again(); !begun) {
            base::log(base::LogLevel::warn, "stream '{}': {}", state_.settings.stream, begun.error().message);
        }
    }
}

/// The reader rank that it is for, or all writer ranks.
template <typename Say>
void Director::tell(const StepQueue::Delivery& delivery, const Say& say) {
    if (delivery.member != StepQueue::nobody) {
        say(state_.members.reader(delivery.member));
        return;
    }
    for (const auto& [id, member] : state_.members.all()) {
        if (!member->reads) {
            say(*member);
        }
    }
}

void Director::publish(const StepQueue::Delivery& delivery) {
    const StepQueue::Step& step = state_.queue->step_in(delivery.slot);
    state_.published_steps.add(1);
    state_.published_bytes.add(step.data_bytes);
    if (step.spilled_bytes > 0) {
        state_.spilled_steps.add(1);
        state_.spilled_bytes.add(step.spilled_bytes);
    }
}

void Director::announce(const StepQueue::Delivery& delivery) {
    Member& member = state_.members.reader(delivery.member);
    const StepEntry& entry = state_.book->entry(delivery.step);
    bool sent = true;
    if (member.layout != entry.layout) {
        const Written written = state_.book->layout(entry.layout);
        transport::Message layout = hot_message(Hot::layout, static_cast<std::int64_t>(entry.layout));
        layout.offset = written.offset;
        layout.bytes = written.bytes;
        sent = member.channel->leave(layout, written.content());
        member.layout = entry.layout;
    }
    std::span<const std::byte> content = entry.table.content();
    if (member.link->is_between_hosts()) {
        state_.book->list_refs(delivery.step, refs_);
        content = small_blocks_.behind(content, refs_, state_.members);
    }
    // A reader that has others to read meanwhile: this one, the one in its hands, and one more.
    const bool has_work = member.link->is_between_hosts() && state_.queue->member(delivery.member).held.size() > 2;
    const transport::Message message = announcement(delivery.step, entry);
    if (!sent || !(has_work ? member.channel->send_soon(message, content) : member.channel->send(message, content))) {
        distrust(member, "has broken its channel, which takes no more");
    }
}

void Director::tell_dropped(const StepQueue::Delivery& delivery) {
    const StepQueue::Group* const group = delivery.group;
    base::log(base::LogLevel::debug, "stream '{}': {} lost {} steps by its policy {}, {} in all",
              state_.settings.stream,
              group == nullptr ? "a reader group that is expected" : fmt::format("reader group '{}'", group->program),
              delivery.count, to_string(group == nullptr ? state_.settings.overflow : group->overflow),
              state_.queue->dropped());
    for (const auto& [id, member] : state_.members.all()) {
        if (!member->reads) {
            member->channel->show(shown_by_director::dropped, state_.queue->dropped());
        } else if (group != nullptr && state_.queue->member(member->number).group == group) {
            member->channel->show(shown_by_director::dropped, group->dropped);
        }
    }
}

void Director::tell_loss(Member& member) {
    const Written& text = state_.loss_text;
    const int rank = state_.queue->lost_writer().value_or(0);
    transport::Message message = hot_message(state_.failure.empty() ? Hot::writer_lost : Hot::writer_failed, 0, rank);
    message.offset = text.offset;
    message.bytes = text.bytes;
    static_cast<void>(member.channel->send(message, text.content()));
}

void Director::tell_writers(Hot what, std::int64_t step) {
    if (!is_hosted()) {
        freed_for_rank_0_.push_back(step);
    }
    for (int rank = 0; rank < state_.settings.writers; ++rank) {
        WriterRank& writer = state_.members.writer(rank);
        if (writer.member != nullptr) {
            static_cast<void>(writer.member->channel->leave(hot_message(what, step)));
            ++writer.unheard;
        }
    }
}

/// A rank that waits for room is not woken for each step that is freed, only to write one more and to sleep again:
/// while others have to write the steps that readers wait for, it may sleep until there is room for several.
void Director::wake_writers() {
    const StepQueue& queue = *state_.queue;
    for (int rank = 0; rank < state_.settings.writers; ++rank) {
        WriterRank& writer = state_.members.writer(rank);
        const std::int64_t ahead = queue.writer(rank).next - queue.next_step();
        if (writer.member != nullptr && writer.unheard > 0 &&
            (writer.unheard >= ahead || writer.unheard >= queue.steps() / parts_of_queue)) {
            writer.member->channel->ring();
            writer.unheard = 0;
        }
    }
}

}  // namespace staithe::stream
