// How a reader rank joins its stream, pauses, comes back after its writer, and leaves.
#include <algorithm>
#include <utility>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "os/process.hpp"
#include "stream/directing/overflow.hpp"
#include "stream/observing/trace_file.hpp"
#include "stream/reading/consumer.hpp"
#include "stream/writing/writer_settings.hpp"

namespace staithe::stream {
namespace {

// A director that does not answer learns that a reader has left all the same, once it looks.
constexpr base::Seconds patience_of_who_leaves{2.0};

}  // namespace

base::Result<std::shared_ptr<Consumer>> Consumer::open(const std::string& stream, const ReaderOptions& options) {
    if (auto checked = transport::check_name(transport::Kind::stream, stream); !checked) {
        return base::fail(std::move(checked));
    }
    if (auto checked = check_group(options.group); !checked) {
        return base::fail(std::move(checked));
    }
    const auto timeout = resolve_timeout(options.timeout);
    if (!timeout) {
        return base::fail(timeout);
    }
    if (auto checked = base::check(Attributes{{"program", options.program}, {"group", options.group.id}}); !checked) {
        return base::fail(checked.error().code, "the reader of stream '{}': {}", stream, checked.error().message);
    }
    if (const auto policy = parse_overflow(options.overflow.value_or("block"));
        !policy || policy->policy == Overflow::Policy::spill) {
        return base::fail(ErrorCode::invalid_argument, "the reader of stream '{}': {}", stream,
                          policy ? "only a writer spills; leave `overflow` to it" : policy.error().message);
    }
    if (options.start < start_next) {
        return base::fail(ErrorCode::invalid_argument, "the reader of stream '{}': there is no step {} to start at",
                          stream, options.start);
    }
    auto consumer = os::kept_at_home(new Consumer(stream, options, *timeout));
    if (auto joined = consumer->join(options.start, false, OpeningTime(*timeout)); !joined) {
        return base::fail(std::move(joined));
    }
    return consumer;
}

base::Deadline Consumer::deadline_of_answers() const {
    return base::Deadline(base::Seconds(timeout_.value_or(default_timeout)));
}

base::Result<> Consumer::join(std::int64_t start, bool goes_on, const OpeningTime& time) {
    for (;;) {
        auto endpoint = transport::Endpoint::shared(base::run_directory(os::user_id()));
        if (!endpoint) {
            return base::fail(std::move(endpoint));
        }
        trace_if_asked((*endpoint)->self());
        const std::string program = options_.program.empty() ? (*endpoint)->self().program : options_.program;
        auto membership = Membership::join(*std::move(endpoint), stream_,
                                           {{"type", message_type::join_reader},
                                            {"rank", group_.rank},
                                            {"size", group_.size},
                                            {"program", program},
                                            {"group", group_.id},
                                            {"overflow", options_.overflow.value_or("")},
                                            {"start", start},
                                            {"goes_on", goes_on}},
                                           {}, time);
        if (!membership) {
            return base::fail(std::move(membership));
        }
        auto settled = settle_in(*std::move(membership), time.is_chosen ? time.deadline : deadline_of_answers());
        // A writer that went away in the middle is like one that has not come yet.
        if (settled || !may_appear_later(settled.error()) || time.deadline.passed()) {
            return settled;
        }
    }
}

/// Takes a place in the stream: maps the pools, and says that it is ready.
base::Result<> Consumer::settle_in(std::shared_ptr<Membership> membership, const base::Deadline& deadline) {
    auto mappings = std::make_shared<Mappings>();
    mappings->tracer = {stream_, group_.rank};
    mappings->membership = std::move(membership);
    mappings_ = std::move(mappings);
    joined_ = mappings_->membership->joined();
    patience_.show_sleep_in(mappings_->membership->asleep_since());
    if (auto mapped = map_pools(mappings_->pools, false, deadline); !mapped) {
        return mapped;
    }
    if (joined_.queue.spill_bytes > 0) {
        if (auto mapped = map_pools(mappings_->spill_pools, true, deadline); !mapped) {
            return mapped;
        }
    }
    schemas_.assign(mappings_->pools.size(), {});
    layout_ = nullptr;
    auto ready = mappings_->membership->call(message_type::ready, {}, deadline);
    if (!ready) {
        return base::fail(std::move(ready));
    }
    return {};
}

base::Result<> Consumer::map_pools(Mappings::Pools& pools, bool on_disk, const base::Deadline& deadline) {
    const auto writers = static_cast<std::size_t>(joined_.writers);
    while (pools.size() < writers) {
        auto answer =
            mappings_->membership->call(message_type::pools, {{"first", pools.size()}, {"spill", on_disk}}, deadline);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        if (answer->descriptors.empty() || answer->descriptors.size() > writers - pools.size()) {
            return base::fail(ErrorCode::protocol, "the director of '{}' sent {} pools", stream_,
                              answer->descriptors.size());
        }
        for (auto& descriptor : answer->descriptors) {
            // What lies on disk is read as it is touched: only a part may be asked for.
            pools.push_back(std::make_unique<transport::MappedPool>(std::move(descriptor), os::Access::read_only,
                                                                    on_disk ? os::Populate::no : os::Populate::yes));
        }
    }
    return {};
}

/// Waits for the writer to come back, and goes on with the step after the last one.
base::Result<> Consumer::rejoin(std::optional<double> chosen_timeout) {
    const base::Failure lost = loss();
    base::log(base::LogLevel::warn, "{}; waiting for it to come back", lost.message);
    if (auto joined = join(next_step_, true, OpeningTime(chosen_timeout)); !joined) {
        if (joined.error().code == ErrorCode::timeout) {
            return base::fail(lost.code, "{}, and it did not come back within {:g} s: {}", lost.message,
                              chosen_timeout.value_or(default_timeout), joined.error().message);
        }
        return base::fail(lost.code, "{}; one that came after it did not help: {}", lost.message,
                          joined.error().message);
    }
    announced_.clear();
    lost_rank_.reset();
    ended_ = false;
    wanted_ = -1;
    went_on_at_ = next_step_;
    return {};
}

void Consumer::close() {
    if (closed_ || !mappings_) {
        return;
    }
    closed_ = true;
    // Steps that were announced but not handed out go back; those that are pinned do so when their last view dies.
    Membership& membership = *mappings_->membership;
    if (!ended_ && !membership.lost()) {
        const base::Seconds patience = std::min<base::Seconds>(deadline_of_answers().left(), patience_of_who_leaves);
        static_cast<void>(membership.call(message_type::detach, {}, base::Deadline(patience)));
    }
    while (collect()) {
        give_back();
    }
    dropped_ = membership.dropped();
    mappings_.reset();
}

/// Releases the step that came in and was not taken.
void Consumer::give_back() {
    const auto step = static_cast<std::int64_t>(announced_.front().step);
    announced_.clear();
    mappings_->pinned.fetch_add(1, std::memory_order_relaxed);
    mappings_->release(step);
}

base::Result<> Consumer::ask(const char* request) {
    if (closed_) {
        return base::fail(ErrorCode::closed, "stream '{}': this reader is closed", stream_);
    }
    auto answer = mappings_->membership->call(request, {}, deadline_of_answers());
    if (!answer && may_appear_later(answer.error())) {
        return {};  // the stream has just ended, or its writer died: `next` tells, after what was announced
    }
    return answer ? base::Result<>() : base::fail(std::move(answer));
}

base::Result<> Consumer::pause() {
    auto paused = ask(message_type::pause);
    while (paused && collect()) {
        give_back();
    }
    wanted_ = -1;  // the director has forgotten what was asked for
    return paused;
}

base::Result<> Consumer::resume() { return ask(message_type::resume); }

base::Result<> Consumer::follow_latest() {
    auto follows = ask(message_type::follow);
    if (!follows) {
        return follows;
    }
    joined_.on_request = true;
    // Several ranks first read what was announced to all of them: none can know where the others are.
    const std::int64_t reached = next_step_;
    while (group_.size == 1 && collect()) {
        mappings_->hand_back(static_cast<std::int64_t>(announced_.front().step));
        announced_.clear();
    }
    next_step_ = reached;
    wanted_ = -1;
    return {};
}

}  // namespace staithe::stream
