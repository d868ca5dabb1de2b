#include "stream/reading/consumer.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/waiting/long_wait.hpp"
#include "stream/writing/writer_settings.hpp"

namespace staithe::stream {
namespace {

constexpr double patience_for_the_end = 1.0;  // seconds

}  // namespace

void Mappings::release(std::int64_t step) {
    const monitor::Span span(tracer, "release", step);
    const std::lock_guard lock(send_mutex);
    // When the director is gone there is nobody to tell.
    static_cast<void>(membership->send(hot_message(Hot::release, step)));
    pinned.fetch_sub(1, std::memory_order_relaxed);
}

void Mappings::want(std::int64_t step) {
    const std::lock_guard lock(send_mutex);
    static_cast<void>(membership->send(hot_message(Hot::want, step)));
}

void Mappings::hand_back(std::int64_t step) {
    const std::lock_guard lock(send_mutex);
    static_cast<void>(membership->send(hot_message(Hot::returned, step)));
}

StepView::~StepView() {
    if (!home.here()) {
        // A forked child releases nothing of its parent's, nor does it leave in its parent's name.
        static_cast<void>(new (std::nothrow) std::shared_ptr<Mappings>(std::move(mappings)));
    } else if (mappings) {
        mappings->release(number);
    }
}

base::Result<ArrayView> StepView::data_of(const PlacedBlock& block) const {
    const auto rank = static_cast<std::size_t>(block.rank);
    const std::int64_t offset = records[rank].offsets[block.index];
    const bool on_disk = offset >= on_disk_flag;
    const Mappings::Pools& pools = on_disk ? mappings->spill_pools : mappings->pools;
    if (rank >= pools.size()) {
        return base::fail(ErrorCode::protocol, "a block is said to lie on disk, but its stream does not spill");
    }
    const auto bytes = pools[rank]->bytes(on_disk ? offset - on_disk_flag : offset, block.description->data_bytes());
    if (!bytes) {
        return base::fail(bytes);
    }
    return block.description->view(bytes->data());
}

Consumer::Consumer(std::string stream, ReaderOptions options, std::optional<double> timeout)
    : stream_(std::move(stream)),
      group_(options.group),
      options_(std::move(options)),
      timeout_(timeout),
      use_(stream_) {}

Consumer::~Consumer() {
    watcher_.reset();
    close();
}

/// Takes in what the director has announced; true once a whole step is there.
bool Consumer::collect() {
    transport::Message message;
    const auto whole = static_cast<std::size_t>(joined_.writers);
    while (announced_.size() < whole && mappings_->membership->down.pop(message)) {
        switch (static_cast<Hot>(message.kind)) {
            case Hot::announce: announced_.push_back(message); break;
            case Hot::end: ended_ = true; break;
            case Hot::writer_failed: failure_ = mappings_->membership->failure_in(message); [[fallthrough]];
            case Hot::writer_lost: lost_rank_ = message.rank; break;
            default: break;  // a newer director may say more than this version knows
        }
        if (announced_.size() == whole && static_cast<std::int64_t>(message.step) < went_on_at_) {
            give_back();  // another rank of the group had not got it when the writer died
            wanted_ = -1;
            ask_for_step();
        }
    }
    if (announced_.size() < whole) {
        return false;
    }
    next_step_ = static_cast<std::int64_t>(announced_.front().step) + 1;
    return true;
}

/// Of a group that may lose steps: the director keeps them until it is asked.
void Consumer::ask_for_step() {
    if (joined_.on_request && wanted_ < next_step_) {
        wanted_ = next_step_;
        mappings_->want(next_step_);
    }
}

base::Failure Consumer::loss() const {
    if (!failure_.empty()) {
        return {ErrorCode::writer_failed,
                fmt::format("stream '{}': {} (after {} steps had been read)", stream_, failure_, steps_.value())};
    }
    const std::size_t rank = lost_rank_.value_or(0);
    const std::string who =
        rank < joined_.writer_of.size() ? transport::to_string(joined_.writer_of[rank]) : "an unknown process";
    return {ErrorCode::peer_lost, fmt::format("stream '{}': writer rank {}, {}, died after {} steps had been read",
                                              stream_, rank, who, steps_.value())};
}

bool Consumer::holds_whole_queue() const {
    return mappings_->pinned.load(std::memory_order_relaxed) >= joined_.queue.steps;
}

base::Failure Consumer::no_step_within(double seconds) const {
    if (holds_whole_queue()) {
        return {
            ErrorCode::limit_reached,
            fmt::format("stream '{}': this reader holds {} steps by their views, which is all that the writer's queue "
                        "has (queue_steps={}), so no further step can come: copy what you keep, drop the views, or "
                        "raise queue_steps",
                        stream_, mappings_->pinned.load(std::memory_order_relaxed), joined_.queue.steps)};
    }
    return {ErrorCode::timeout,
            fmt::format(
                "stream '{}': no step came within {:g} s after {} steps: {} may still compute it; `staithe show {}` "
                "tells, a larger timeout waits longer",
                stream_, seconds, steps_.value(), transport::to_string(joined_.writer_of.front()), stream_)};
}

base::Result<std::shared_ptr<const StepView>> Consumer::next(std::optional<double> timeout) {
    if (closed_) {
        return base::fail(ErrorCode::closed, "stream '{}': this reader is closed", stream_);
    }
    monitor::Span span(mappings_->tracer, "next");
    if (auto checked = timeout ? resolve_timeout(timeout) : timeout_; !checked) {
        return base::fail(std::move(checked));
    }
    use_.by_this_thread();
    if (!collect() && !ended_) {
        auto waited = wait_for_step(timeout ? timeout : timeout_, nullptr);
        if (!waited) {
            return base::fail(std::move(waited));
        }
    }
    if (announced_.size() == static_cast<std::size_t>(joined_.writers)) {
        span.set_step(static_cast<std::int64_t>(announced_.front().step));
        auto step = assemble();
        announced_.clear();
        return step;
    }
    if (ended_ && !lost_rank_) {
        return std::shared_ptr<const StepView>();
    }
    if (!options_.resume) {
        return tl::unexpected(loss());
    }
    if (auto joined = rejoin(timeout ? timeout : timeout_); !joined) {
        return base::fail(std::move(joined));
    }
    return next(timeout);
}

base::Result<std::shared_ptr<const StepView>> Consumer::next_up_to(std::int64_t number) {
    // Looked at before the ring: what was announced earlier must not be missed.
    const auto passed_by = [&] { return mappings_->membership->passed() > number && !collect(); };
    if (!passed_by() && !collect() && !ended_) {
        auto waited = wait_for_step(timeout_, passed_by);
        if (!waited) {
            return base::fail(std::move(waited));
        }
    }
    return passed_by() ? std::shared_ptr<const StepView>() : next(std::nullopt);
}

/// Waits for a step, the end, a loss, or what the caller waits for besides.
base::Result<> Consumer::wait_for_step(std::optional<double> chosen_timeout, const std::function<bool()>& or_until) {
    const monitor::Span span(mappings_->tracer, "wait for step");
    const double seconds = chosen_timeout.value_or(base::forever);
    // The end may still come to a reader that holds the whole queue, but no step.
    const double patience = holds_whole_queue() ? std::min(seconds, patience_for_the_end) : seconds;
    Membership& membership = *mappings_->membership;
    const auto began = base::Clock::now();
    const std::int64_t awaited = next_step_;
    ask_for_step();
    const auto in_time = wait_for_peers(
        membership.bell(), base::Deadline(base::Seconds(patience)), patience_,
        [&] {
            // The loss is looked at first: what was announced before it must not be missed.
            const bool lost = membership.lost();
            return collect() || ended_ || lost_rank_ || lost || (or_until && or_until());
        },
        [&] {
            return LongWait::Subject{stream_,
                                     fmt::format("reader rank {}", group_.rank),
                                     "the next step of",
                                     membership.endpoint(),
                                     [&] { return membership.awaited(); },
                                     chosen_timeout.has_value()};
        });
    const auto waited = base::Clock::now() - began;
    waited_.add(waited);
    base::log_long_wait(waited, "stream '{}': reader rank {} waited for step {}", stream_, group_.rank, awaited);
    if (!in_time) {
        return base::fail(in_time);
    }
    if (!*in_time) {
        return tl::unexpected(no_step_within(chosen_timeout.value_or(base::Seconds(waited).count())));
    }
    return {};
}

base::Result<bool> Consumer::learn_schema(std::size_t rank, const RecordHeader& header) {
    KnownSchema& known = schemas_[rank];
    if (known.schema && known.id == header.schema_id) {
        return false;
    }
    const auto encoded = mappings_->pools[rank]->bytes(header.schema_offset, header.schema_bytes);
    if (!encoded) {
        return base::fail(encoded);
    }
    auto blocks = decode_schema(*encoded);
    if (!blocks) {
        return base::fail(std::move(blocks));
    }
    known = {header.schema_id, std::make_shared<const Schema>(*std::move(blocks))};
    return true;
}

base::Result<std::shared_ptr<const StepView>> Consumer::assemble() {
    auto step = std::make_shared<StepView>();
    step->number = static_cast<std::int64_t>(announced_.front().step);
    step->mappings = mappings_;  // from here on the step goes back by itself
    mappings_->pinned.fetch_add(1, std::memory_order_relaxed);
    step->records.resize(announced_.size());
    bool changed = layout_ == nullptr;
    for (const transport::Message& message : announced_) {
        const auto rank = static_cast<std::size_t>(message.rank);
        if (rank >= step->records.size() || static_cast<std::int64_t>(message.step) != step->number) {
            return base::fail(ErrorCode::protocol, "stream '{}': an announcement of step {} is garbled", stream_,
                              step->number);
        }
        const auto bytes = mappings_->pools[rank]->bytes(message.offset, message.bytes);
        if (!bytes) {
            return base::fail(bytes);
        }
        auto record = view_record(*bytes, message.step);
        if (!record) {
            return base::fail(std::move(record));
        }
        const auto is_new = learn_schema(rank, *record->header);
        if (!is_new) {
            return base::fail(is_new);
        }
        if (schemas_[rank].schema->size() != record->offsets.size()) {
            return base::fail(ErrorCode::protocol, "stream '{}': record and schema of rank {} do not agree", stream_,
                              rank);
        }
        step->records[rank] = *record;
        changed = changed || *is_new;
    }
    if (changed) {
        std::vector<std::shared_ptr<const Schema>> schemas;
        for (const KnownSchema& known : schemas_) {
            if (!known.schema) {
                return base::fail(ErrorCode::protocol, "stream '{}': a rank's record is missing", stream_);
            }
            schemas.push_back(known.schema);
        }
        layout_ = nullptr;
        auto layout = Layout::build(std::move(schemas));
        if (!layout) {
            return base::fail(layout.error().code, "stream '{}', step {}: {}", stream_, step->number,
                              layout.error().message);
        }
        layout_ = *std::move(layout);
    }
    step->layout = layout_;
    steps_.add(1);
    return std::shared_ptr<const StepView>(std::move(step));
}

base::Result<> Consumer::opened_elsewhere() const {
    return base::fail(ErrorCode::closed,
                      "stream '{}' was opened by the process that forked this one: open a reader of its own here",
                      stream_);
}

ReaderStatistics Consumer::statistics() const {
    const std::int64_t pinned = mappings_ ? mappings_->pinned.load(std::memory_order_relaxed) : 0;
    return {steps_.value(), pinned, waited_.seconds(), mappings_ ? mappings_->membership->dropped() : dropped_};
}

}  // namespace staithe::stream
