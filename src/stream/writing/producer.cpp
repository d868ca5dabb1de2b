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
#include "stream/observing/trace_file.hpp"
#include "stream/opening.hpp"
#include "stream/writing/inline_analyses.hpp"

namespace staithe::stream {

Producer::Producer(std::string stream, Group group, const WriterSettings& settings)
    : stream_(std::move(stream)),
      use_(stream_),
      group_(std::move(group)),
      timeout_(settings.timeout),
      error_(settings.error),
      placement_(settings.director.placement) {}

Producer::~Producer() {
    watcher_.reset();
    stop_followers();
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
    static_cast<void>(director_->finished(next_step_));
    director_->stop();
}

// Credit ------------------------------------------------------------------------------------------------------

/// Each look costs a lock and, for every step that has come back, a cache line from the reader's core. While the steps
/// that are held fit the nearest cache, older memory is as warm as what comes back, and one look does for several of
/// them.
bool Producer::is_time_to_collect() const {
    constexpr std::int64_t steps_a_look = 8;
    constexpr std::int64_t nearest_cache = 64 << 10;
    return next_step_ - collected_at_ >= steps_a_look || store_->held(store::Tier::memory).bytes > nearest_cache ||
           !has_room_in_memory();
}

void Producer::collect_freed() {
    collected_at_ = next_step_;
    freed_.clear();
    director_->take_fetched(freed_);
    for (const std::int64_t number : freed_) {
        store_->hand_over(number);
    }
    freed_.clear();
    director_->take_resting(freed_);
    for (const std::int64_t number : freed_) {
        store_->set_aside(number);
    }
    freed_.clear();
    director_->take_freed(freed_);
    for (const std::int64_t number : freed_) {
        const std::int64_t on_disk = store_->held(store::Tier::disk).versions;
        static_cast<void>(store_->unpin(number));
        disk_is_full_ = disk_is_full_ && store_->held(store::Tier::disk).versions == on_disk;
    }
}

bool Producer::has_room_in_memory() const {
    const store::Held held = store_->held(store::Tier::memory);
    return limits_.admit(held.versions, held.bytes, last_step_bytes_) && process_has_credit();
}

/// Steps change: one that did not shrink says little of one that is smaller as it is.
std::int64_t Producer::bytes_encoded() const {
    return last_encoded_bytes_ > 0 ? std::min(last_encoded_bytes_, last_step_bytes_) : last_step_bytes_;
}

bool Producer::has_room_encoded() const {
    const store::Held held = store_->held(store::Tier::encoded);
    return limits_.admit_encoded(held.versions, held.bytes, bytes_encoded()) && process_has_credit();
}

bool Producer::has_room_on_disk() const {
    const store::Held held = store_->held(store::Tier::disk);
    return store_->has_disk() && !disk_is_full_ &&
           held.versions < static_cast<std::int64_t>(QueueLimits::most_further_steps) &&
           held.bytes + bytes_encoded() <= limits_.spill_bytes;
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
        store::Held in_memory = store_->held(store::Tier::memory);
        const store::Held encoded = store_->held(store::Tier::encoded);
        in_memory.versions += encoded.versions;
        in_memory.bytes += encoded.bytes;
        const store::Held on_disk = store_->held(store::Tier::disk);
        return base::fail(ErrorCode::timeout,
                          "stream '{}': the queue stayed full ({} steps, {}{}) for {:g} s: {}; a larger queue_steps or "
                          "queue_bytes rides out slow phases, a larger timeout waits longer, an overflow policy that "
                          "drops, compresses or spills steps does not wait",
                          stream_, in_memory.versions, base::format_bytes(in_memory.bytes),
                          on_disk.versions == 0 ? ""
                                                : fmt::format("; {} steps, {} on disk", on_disk.versions,
                                                              base::format_bytes(on_disk.bytes)),
                          timeout, why_queue_is_full());
    }
    return {};
}

// Steps -------------------------------------------------------------------------------------------------------

base::Result<std::unique_ptr<StepDraft>> Producer::begin_step(const std::optional<double>& timeout) {
    const monitor::Span span(tracer_, "begin_step", next_step_);
    if (closed_) {
        return base::fail(ErrorCode::closed, "stream '{}' is closed: open a new writer to write again", stream_);
    }
    if (step_open_) {
        return base::fail(ErrorCode::invalid_argument, "stream '{}': end or abandon step {} before the next one",
                          stream_, next_step_);
    }
    if (steps_.value() == 0 && placement_ == "inline" && analyses_ == nullptr) {
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
    if (is_time_to_collect()) {
        collect_freed();
    }
    const auto chosen_timeout = timeout ? timeout : timeout_;
    if (auto waited = wait_for_warm_memory(chosen_timeout); !waited) {
        return base::fail(std::move(waited));
    }
    if (!has_credit()) {
        if (auto credit = wait_for_credit(chosen_timeout); !credit) {
            return base::fail(std::move(credit));
        }
    }
    auto step = spare_draft_ ? std::move(spare_draft_) : std::make_unique<StepDraft>();
    step->number = next_step_;
    step->tier = has_room_in_memory() ? store::Tier::memory
                 : has_room_encoded() ? store::Tier::encoded
                                      : store::Tier::disk;
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
    std::int64_t data_bytes = 0, stored_bytes = 0, spilled_bytes = 0;
    bool has_encoded = false;
    for (std::size_t i = 0; i < step->blocks.size(); ++i) {
        const store::BlockMemory& block = step->blocks[i];
        const bool is_encoded = block.encoding != store::Encoding::raw;
        data_bytes += is_encoded ? blocks_[i].data_bytes() : block.memory.bytes;
        stored_bytes += block.memory.bytes;
        spilled_bytes += block.tier == store::Tier::disk ? block.memory.bytes : 0;
        has_encoded |= is_encoded;
    }
    span.set_bytes(data_bytes);
    if (auto submitted = submit(*step, stored_bytes, spilled_bytes); !submitted) {
        // The other ranks' part of this step must not wait for ours.
        static_cast<void>(abandon(std::move(step)));
        return submitted;
    }
    step_open_ = false;
    ++next_step_;
    last_step_bytes_ = data_bytes;
    store_->keep(step->number, step->tier, described_, step->blocks);
    steps_.add(1);
    bytes_.add(data_bytes);
    if (step->tier != store::Tier::memory) {
        last_encoded_bytes_ = stored_bytes;
        spilled_steps_.add(spilled_bytes > 0 ? 1 : 0);
        spilled_bytes_.add(spilled_bytes);
        if (has_encoded && step->tier == store::Tier::encoded) {
            encoded_steps_.add(1);
            encoded_bytes_.add(stored_bytes);
        }
    }
    step->attributes.clear();
    spare_draft_ = std::move(step);
    prepare_next_step();
    return {};
}

base::Result<> Producer::submit(const StepDraft& step, std::int64_t stored_bytes, std::int64_t spilled_bytes) {
    if (schema_changed_) {
        auto encoded = encode_schema(blocks_);
        if (!encoded) {
            return base::fail(std::move(encoded));
        }
        schema_ = *std::move(encoded);
        described_ = std::make_shared<const store::Descriptions>(blocks_);
        ++schemas_;
        schema_changed_ = false;
    }
    refs_.clear();
    const auto rank = static_cast<std::uint32_t>(group_.rank);
    for (const store::BlockMemory& block : step.blocks) {
        store::BlockRef& ref = refs_.emplace_back();
        ref.store = block.tier == store::Tier::disk ? static_cast<std::uint32_t>(group_.size) + rank : rank;
        ref.offset = block.memory.offset;
        ref.bytes = block.memory.bytes;
        ref.encoding = block.encoding;
    }
    const auto attributes = step.attributes.empty() ? std::vector<std::byte>() : base::to_cbor(step.attributes);
    return director_->submit({step.number, {schemas_, refs_, attributes}, schema_, stored_bytes, spilled_bytes});
}

base::Result<> Producer::abandon(std::unique_ptr<StepDraft> step) {
    const monitor::Span span(tracer_, "abandon", step->number);
    step_open_ = false;
    ++next_step_;
    for (const store::BlockMemory& block : step->blocks) {
        store_->free(block);
    }
    step->blocks.clear();
    schema_changed_ = true;  // `blocks_` may hold what was never written
    // It holds no memory but a place in the queue, until all ranks are through with it.
    store_->keep(step->number, step->tier, nullptr, step->blocks);
    return director_->abandon(step->number);
}

// Keeps memory for one step ahead of the most that were there so far, so that a step that meets a slow reader does not
// pay for fresh memory as well. Not of a server's memory, which may be what another rank completes this step with: one
// that never does would be waited for by all.
void Producer::prepare_next_step() {
    const std::int64_t steps = store_->versions();
    if (steps <= most_steps_) {
        return;
    }
    most_steps_ = steps;
    if (has_room_in_memory() && !store_->pool_of(store::Tier::memory)->is_lent()) {
        for (const store::BlockDescription& block : *described_) {
            if (block.data_bytes() > memory::Pool::small_limit) {
                store_->pool_of(store::Tier::memory)->prepare(block.data_bytes(), 1);
            }
        }
    }
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
    auto told = director_->finished(next_step_);
    auto finished = director_->finish(timeout_);
    return finished ? told : finished;
}

void Producer::fail(const std::string& reason) {
    if (!closed_) {
        stop_followers();
        closed_ = true;
        director_->fail(reason);
    }
}

// Followers ---------------------------------------------------------------------------------------------------

void Producer::run_followers() {
    for (const auto& follower : followers_) {
        follower->follow(next_step_ - 1);
    }
}

void Producer::finish_followers() {
    for (const auto& follower : followers_) {
        follower->finish();
    }
}

void Producer::dismiss_followers() {
    analyses_ = nullptr;
    for (const auto& follower : std::exchange(followers_, {})) {
        follower->leave();
    }
}

void Producer::stop_followers() {
    for (const auto& follower : followers_) {
        follower->stop();
    }
}

base::Result<> Producer::opened_elsewhere() const {
    return base::fail(ErrorCode::closed,
                      "stream '{}' was opened by the process that forked this one: open a writer of its own here",
                      stream_);
}

WriterStatistics Producer::statistics() const {
    return {steps_.value(),         bytes_.value(),
            stall_.seconds(),       store_->pool_of(store::Tier::memory)->capacity(),
            director_->dropped(),   spilled_steps_.value(),
            spilled_bytes_.value(), director_->unread(),
            encoded_steps_.value(), encoded_bytes_.value()};
}

}  // namespace staithe::stream
