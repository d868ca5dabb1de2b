#include "stream/writing/producer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "array/strided_copy.hpp"
#include "base/config.hpp"
#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "memory/sources.hpp"
#include "os/process.hpp"
#include "stream/finding/contact.hpp"
#include "stream/observing/trace_file.hpp"
#include "stream/writing/inline_analyses.hpp"

namespace staithe::stream {

LentBlock::~LentBlock() {
    if (!published) {
        pool->free(block.memory);
    }
}

Producer::Producer(std::string stream, Group group, const WriterSettings& settings)
    : stream_(std::move(stream)),
      use_(stream_),
      group_(std::move(group)),
      timeout_(settings.timeout),
      placement_(settings.director.placement) {}

base::Result<std::shared_ptr<Producer>> Producer::open(const std::string& stream, const WriterOptions& options) {
    auto settings = resolve_settings(stream, options);
    if (!settings) {
        return base::fail(std::move(settings));
    }
    auto producer = os::kept_at_home(new Producer(stream, options.group, *settings));
    auto endpoint = transport::Endpoint::shared(base::run_directory(os::user_id()));
    if (!endpoint) {
        return base::fail(std::move(endpoint));
    }
    producer->endpoint_ = *endpoint;
    trace_if_asked((*endpoint)->self());
    producer->tracer_ = {stream, options.group.rank};
    auto pool = memory::open_pool("staithe:" + stream);
    if (!pool) {
        return base::fail(std::move(pool));
    }
    producer->pool_ = *std::move(pool);
    if (settings->director.queue.spill_bytes > 0) {
        auto on_disk = memory::open_pool("staithe:" + stream + ":spilled", memory::on_disk, settings->spill_directory);
        if (!on_disk) {
            return base::fail(on_disk.error().code,
                              "stream '{}' spills to {}, which does not work: {} (choose another spill directory, or "
                              "another overflow policy)",
                              stream, settings->spill_directory, on_disk.error().message);
        }
        producer->spill_pool_ = *std::move(on_disk);
    }
    if (options.group.rank == 0) {
        auto director = Director::start(*endpoint, settings->director, *producer->pool_, producer->spill_pool_.get());
        if (!director) {
            return base::fail(std::move(director));
        }
        producer->director_ = local_port(*std::move(director), settings->director);
    } else {
        auto director = join_director(*endpoint, stream, options.group, *producer->pool_, producer->spill_pool_.get(),
                                      settings->timeout);
        if (!director) {
            return base::fail(std::move(director));
        }
        producer->director_ = *std::move(director);
    }
    producer->patience_.show_sleep_in(producer->director_->asleep_since());
    if (settings->depth_is_ours) {
        producer->run_ahead_.emplace();
    }
    producer->limits_ = producer->director_->queue().part_of_rank(options.group.size);
    producer->next_step_ = producer->director_->first_step();
    if (options.reserve_bytes > 0) {
        // One step's worth: more would still be in the making, on the writer's own core, when the first step is put.
        producer->pool_->prepare(options.reserve_bytes, 1);
    }
    return producer;
}

Producer::~Producer() {
    watcher_.reset();
    if (closed_ || !director_) {
        return;
    }
    if (std::uncaught_exceptions() > exceptions_at_home_) {
        fail("an exception left the block that its writer lives in");
        return;
    }
    // A destructor must not wait, but what it loses it says.
    if (const auto unread = director_->unread(); unread > 0) {
        base::log(
            base::LogLevel::warn,
            "stream '{}' ends without having been closed: {} of its steps are lost, since nobody has come to read "
            "them; close() waits for readers, a writer with fewer `readers` needs none",
            stream_, unread);
    }
    static_cast<void>(director_->submit(hot_message(Hot::finished, next_step_, group_.rank)));
    director_->stop();
}

// Credit ------------------------------------------------------------------------------------------------------

void Producer::recycle(LiveStep& step) {
    for (const BlockMemory& block : step.blocks) {
        free(block);
    }
    step.blocks.clear();
    Held& held = step.spilled ? on_disk_ : in_memory_;
    --held.steps;
    held.bytes -= step.bytes;
    in_flight_.set(in_memory_.bytes);
    disk_is_full_ = disk_is_full_ && !step.spilled;
    const auto schema =
        std::find_if(schemas_.begin(), schemas_.end(), [&](const WrittenSchema& s) { return s.id == step.schema_id; });
    // An abandoned step has none. The newest schema stays for the steps to come.
    if (schema != schemas_.end() && --schema->users == 0 && schema->id != schemas_written_) {
        pool_->free(schema->memory);
        schemas_.erase(schema);
    }
    spare_.push_back(std::move(step));
}

/// Where the next step will live.
Producer::LiveStep& Producer::spare_slot() { return spare_.empty() ? spare_.emplace_back() : spare_.back(); }

Producer::LiveStep Producer::take_spare_slot() {
    LiveStep slot = std::move(spare_slot());
    spare_.pop_back();
    return slot;
}

void Producer::collect_freed() {
    freed_.clear();
    director_->take_freed(freed_);
    for (const std::int64_t number : freed_) {
        const auto step =
            std::find_if(live_.begin(), live_.end(), [&](const LiveStep& live) { return live.number == number; });
        if (step != live_.end()) {
            recycle(*step);
            live_.erase(step);
        }
    }
}

bool Producer::has_room_in_memory() const {
    return limits_.admit(static_cast<std::int64_t>(in_memory_.steps), in_memory_.bytes, last_step_bytes_) &&
           process_has_credit();
}

bool Producer::has_room_on_disk() const {
    return spill_pool_ && !disk_is_full_ && on_disk_.steps < QueueLimits::most_spilled_steps &&
           on_disk_.bytes + last_step_bytes_ <= limits_.spill_bytes;
}

base::Result<> Producer::wait_for_credit(std::optional<double> chosen_timeout) {
    const monitor::Span span(tracer_, "wait for room", next_step_);
    const auto began = base::Clock::now();
    std::optional<base::Failure> trouble;
    const auto granted = wait_for_readers(
        chosen_timeout, [this] { return !process_has_credit(); },
        [&] {
            collect_freed();
            trouble = director_->trouble();
            return trouble || has_credit();
        });
    const auto waited = base::Clock::now() - began;
    stall_.add(waited);
    director_->add_stall(waited);
    base::log_long_wait(waited, "stream '{}': writer rank {} waited for room for step {}", stream_, group_.rank,
                        next_step_);
    if (trouble) {
        return tl::unexpected(*std::move(trouble));
    }
    if (!granted) {
        return base::fail(granted);
    }
    const double timeout = chosen_timeout.value_or(base::Seconds(waited).count());
    if (!*granted && !process_has_credit()) {
        const auto no_room = base::no_room(base::Resource::bytes_in_flight, last_step_bytes_, "begin a step");
        return base::fail(no_room.code, "stream '{}': {} (waited {:.3g} s: {})", stream_, no_room.message, timeout,
                          why_queue_is_full());
    }
    if (!*granted) {
        return base::fail(ErrorCode::timeout,
                          "stream '{}': the queue stayed full ({} steps, {}{}) for {:g} s: {}; a larger queue_steps or "
                          "queue_bytes rides out slow phases, a larger timeout waits longer, an overflow policy that "
                          "drops or spills steps does not wait",
                          stream_, in_memory_.steps, base::format_bytes(in_memory_.bytes),
                          on_disk_.steps == 0 ? ""
                                              : fmt::format("; {} steps, {} on disk", on_disk_.steps,
                                                            base::format_bytes(on_disk_.bytes)),
                          timeout, why_queue_is_full());
    }
    return {};
}

// Steps -------------------------------------------------------------------------------------------------------

base::Result<std::unique_ptr<StepDraft>> Producer::begin_step(std::optional<double> timeout) {
    const monitor::Span span(tracer_, "begin_step", next_step_);
    if (closed_) {
        return base::fail(ErrorCode::closed, "stream '{}' is closed: open a new writer to write again", stream_);
    }
    if (step_open_) {
        return base::fail(ErrorCode::invalid_argument, "stream '{}': end or abandon step {} before the next one",
                          stream_, next_step_);
    }
    if (steps_.value() == 0 && placement_ == "inline" && !analyses_) {
        return base::fail(
            ErrorCode::invalid_argument,
            "stream '{}' is placed inline, but this program has attached no analysis to it: attach one (a "
            "Python analysis needs a Python program), or use the placement 'producer'",
            stream_);
    }
    if (auto checked = timeout ? resolve_timeout(timeout) : timeout_; !checked) {
        return base::fail(std::move(checked));
    }
    use_.by_this_thread();
    collect_freed();
    const auto chosen_timeout = timeout ? timeout : timeout_;
    if (auto waited = wait_for_warm_memory(chosen_timeout); !waited) {
        return base::fail(std::move(waited));
    }
    if (!has_credit()) {
        if (auto credit = wait_for_credit(chosen_timeout); !credit) {
            return base::fail(std::move(credit));
        }
    }
    auto step = std::make_unique<StepDraft>();
    step->number = next_step_;
    step->spills = !has_room_in_memory();
    step_open_ = true;
    blocks_of_.clear();
    indexed_ = 0;
    return step;
}

base::Result<> Producer::end(std::unique_ptr<StepDraft> step) {
    monitor::Span span(tracer_, "end", step->number);
    if (blocks_.size() != step->blocks.size()) {
        blocks_.resize(step->blocks.size());
        schema_changed_ = true;
    }
    std::int64_t data_bytes = 0;
    std::int64_t spilled_bytes = 0;
    for (const BlockMemory& block : step->blocks) {
        data_bytes += block.memory.bytes;
        spilled_bytes += block.spilled ? block.memory.bytes : 0;
    }
    span.set_bytes(data_bytes);
    auto described = schema_changed_ ? write_schema() : base::Result<>();
    auto recorded = described ? write_record(*step, data_bytes, spare_slot().record) : std::move(described);
    if (!recorded) {
        // The other ranks' part of this step must not wait for ours.
        static_cast<void>(abandon(std::move(step)));
        return recorded;
    }
    step_open_ = false;
    ++next_step_;
    LiveStep live = take_spare_slot();
    transport::Message message = hot_message(Hot::record, step->number, group_.rank);
    message.offset = live.record.offset;
    message.bytes = live.record.bytes;
    message.data_bytes = data_bytes;
    message.spilled_bytes = spilled_bytes;

    live.number = step->number;
    live.bytes = data_bytes;
    live.blocks.swap(step->blocks);
    live.schema_id = schemas_written_;
    live.spilled = step->spills;
    ++schemas_.back().users;
    Held& held = live.spilled ? on_disk_ : in_memory_;
    ++held.steps;
    held.bytes += data_bytes;
    in_flight_.set(in_memory_.bytes);
    last_step_bytes_ = data_bytes;
    live_.push_back(std::move(live));
    steps_.add(1);
    bytes_.add(data_bytes);
    spilled_steps_.add(spilled_bytes > 0 ? 1 : 0);
    spilled_bytes_.add(spilled_bytes);
    auto submitted = director_->submit(message);
    prepare_next_slot(live_.back());
    return submitted;
}

base::Result<> Producer::abandon(std::unique_ptr<StepDraft> step) {
    const monitor::Span span(tracer_, "abandon", step->number);
    step_open_ = false;
    ++next_step_;
    discard(*step);
    // It holds no memory but a place in the queue, until all ranks are through with it.
    LiveStep live = take_spare_slot();
    live.number = step->number;
    live.bytes = 0;
    live.schema_id = 0;
    live.spilled = step->spills;
    live_.push_back(std::move(live));
    ++(step->spills ? on_disk_ : in_memory_).steps;
    return director_->submit(hot_message(Hot::abandoned, step->number, group_.rank));
}

void Producer::discard(StepDraft& step) {
    for (const BlockMemory& block : step.blocks) {
        free(block);
    }
    step.blocks.clear();
    schema_changed_ = true;  // `blocks_` may hold what was never written
}

// Keeps one slot ahead of the deepest queue so far, so that a step that meets a slow reader does not pay for fresh
// memory as well.
void Producer::prepare_next_slot(const LiveStep& step) {
    if (in_memory_.steps <= most_live_) {
        return;
    }
    most_live_ = in_memory_.steps;
    if (has_room_in_memory()) {
        for (const BlockMemory& block : step.blocks) {
            if (block.memory.bytes > memory::Pool::small_limit) {
                pool_->prepare(block.memory.bytes, 1);
            }
        }
    }
}

// Records -----------------------------------------------------------------------------------------------------

base::Result<> Producer::write_schema() {
    const auto encoded = encode_schema(blocks_);
    if (!encoded) {
        return base::fail(encoded);
    }
    auto memory = allocate_in_memory(static_cast<std::int64_t>(encoded->size()));
    if (!memory) {
        return base::fail(std::move(memory));
    }
    std::memcpy(memory->data, encoded->data(), encoded->size());
    if (!schemas_.empty() && schemas_.back().users == 0) {
        pool_->free(schemas_.back().memory);
        schemas_.pop_back();
    }
    schemas_.push_back({++schemas_written_, *memory, 0});
    schema_changed_ = false;
    return {};
}

base::Result<> Producer::write_record(const StepDraft& step, std::int64_t data_bytes, memory::Allocation& record) {
    const auto attributes = step.attributes.empty() ? std::vector<std::byte>() : base::to_cbor(step.attributes);
    if (const auto bytes = record_bytes(step.blocks.size(), attributes.size()); record.bytes != bytes) {
        if (record.data != nullptr) {
            pool_->free(std::exchange(record, {}));
        }
        auto memory = allocate_in_memory(bytes);
        if (!memory) {
            return base::fail(std::move(memory));
        }
        record = *memory;
    }
    const WrittenSchema& schema = schemas_.back();
    const RecordHeader header{record_magic,
                              static_cast<std::uint32_t>(step.blocks.size()),
                              static_cast<std::uint64_t>(step.number),
                              schema.id,
                              schema.memory.offset,
                              schema.memory.bytes,
                              data_bytes,
                              attributes.size(),
                              0};
    std::memcpy(record.data, &header, sizeof(header));
    auto* offsets = reinterpret_cast<std::int64_t*>(record.data + sizeof(header));
    for (const BlockMemory& block : step.blocks) {
        *offsets++ = block.spilled ? block.memory.offset | on_disk_flag : block.memory.offset;
    }
    if (!attributes.empty()) {
        std::memcpy(offsets, attributes.data(), attributes.size());
    }
    return {};
}

base::Result<> Producer::close() {
    if (closed_) {
        return {};
    }
    if (step_open_) {
        return base::fail(ErrorCode::invalid_argument, "stream '{}': end or abandon step {} before closing", stream_,
                          next_step_);
    }
    closed_ = true;
    auto submitted = director_->submit(hot_message(Hot::finished, next_step_, group_.rank));
    auto finished = director_->finish(timeout_);
    return finished ? submitted : finished;
}

void Producer::fail(const std::string& reason) {
    if (!closed_) {
        closed_ = true;
        director_->fail(reason);
    }
}

base::Result<> Producer::opened_elsewhere() const {
    return base::fail(ErrorCode::closed,
                      "stream '{}' was opened by the process that forked this one: open a writer of its own here",
                      stream_);
}

WriterStatistics Producer::statistics() const {
    return {steps_.value(),       bytes_.value(),         stall_.seconds(),       pool_->capacity(),
            director_->dropped(), spilled_steps_.value(), spilled_bytes_.value(), director_->unread()};
}

}  // namespace staithe::stream
