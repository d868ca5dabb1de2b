#include "stream/directing/director.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/config.hpp"
#include "base/log.hpp"
#include "os/process.hpp"
#include "stream/finding/ended_note.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {
namespace {

// The service thread has nothing else to wake up for; the deadline only bounds one turn of its loop.
constexpr base::Seconds service_turn{3600.0};

}  // namespace

Director::Director(std::shared_ptr<transport::Endpoint> endpoint, Settings settings)
    : endpoint_(std::move(endpoint)),
      settings_(std::move(settings)),
      tracer_(settings_.stream, 0),
      started_(os::wall_clock_seconds()) {}

base::Result<std::shared_ptr<Director>> Director::start(std::shared_ptr<transport::Endpoint> endpoint,
                                                        Settings settings, const memory::Pool& pool,
                                                        const memory::Pool* spill_pool) {
    std::shared_ptr<Director> director(new Director(std::move(endpoint), std::move(settings)));
    if (auto opened = director->open(pool, spill_pool); !opened) {
        return base::fail(std::move(opened));
    }
    return director;
}

base::Result<> Director::open(const memory::Pool& pool, const memory::Pool* spill_pool) {
    auto control = memory::Pool::create("staithe:" + settings_.stream + ":control");
    if (!control) {
        return base::fail(std::move(control));
    }
    control_ = *std::move(control);
    auto bell = control_->allocate(MemberMemory::head_bytes);
    auto own_pool = os::duplicate_read_only(pool.file());
    if (!bell || !own_pool) {
        return !bell ? base::Result<>(base::fail(std::move(bell))) : base::Result<>(base::fail(std::move(own_pool)));
    }
    bell_ = reinterpret_cast<transport::Bell*>(bell->data);
    writers_.resize(static_cast<std::size_t>(settings_.writers));
    writers_[0].peer = endpoint_->self();
    writers_[0].pool = *std::move(own_pool);
    if (spill_pool != nullptr) {
        auto file = os::duplicate_read_only(spill_pool->file());
        if (!file) {
            return base::fail(std::move(file));
        }
        writers_[0].spill_pool = *std::move(file);
    }

    auto offered = endpoint_->offer(settings_.stream, [weak = weak_from_this()](const auto& link, auto packet) {
        if (const auto self = weak.lock()) {
            self->handle(link, std::move(packet));
        }
    });
    if (!offered) {
        return offered;
    }
    offered_ = true;
    // Who finds the contact file waits until it is known with which step the stream begins.
    std::unique_lock lock(mutex_);
    auto published = transport::Directory(endpoint_->run_directory())
                         .publish(transport::own_entry(transport::Kind::stream, settings_.stream, endpoint_->address(),
                                                       endpoint_->self()));
    if (!published) {
        lock.unlock();  // a handler that runs now may want it
        endpoint_->withdraw(settings_.stream);
        offered_ = false;
        return published;
    }
    clear_ended_notes(endpoint_->run_directory(), settings_.stream);
    auto progress = Progress::open(endpoint_->run_directory(), settings_.stream, settings_.resume);
    if (!progress) {
        return base::fail(std::move(progress));
    }
    progress_ = *std::move(progress);
    first_step_ = next_step_ = progress_->next_step();
    newest_gone_ = first_step_ - 1;
    if (settings_.writers > 1) {
        return start_service();
    }
    base::log(base::LogLevel::debug, "stream '{}': opened with step {} by {} writer ranks, overflow {}",
              settings_.stream, first_step_, settings_.writers, to_string(settings_.overflow));
    return {};
}

base::Result<> Director::start_service() {
    try {
        if (!service_.joinable()) {
            service_ = std::thread([this] { run_service(); });
        }
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached,
                          "stream '{}': cannot start the thread that serves it: {}; raise the limits with `ulimit -u` "
                          "and `ulimit -v`",
                          settings_.stream, error.what());
    }
    return {};
}

Director::~Director() {
    stop();
    if (service_.joinable()) {
        service_.join();
    }
}

void Director::run_service() {
    transport::Patience patience;
    for (;;) {
        static_cast<void>(transport::wait(*bell_, base::Deadline(service_turn), patience, [this] {
            const std::lock_guard lock(mutex_);
            return drain() || stopping_;
        }));
        const std::lock_guard lock(mutex_);
        if (stopping_) {
            return;
        }
    }
}

void Director::submit(const transport::Message& message) {
    const std::lock_guard lock(mutex_);
    handle_writer(0, message);
}

bool Director::take_freed(std::vector<std::int64_t>& steps) {
    const std::lock_guard lock(mutex_);
    drain();
    steps.insert(steps.end(), freed_for_rank_0_.begin(), freed_for_rank_0_.end());
    const bool any = !freed_for_rank_0_.empty();
    freed_for_rank_0_.clear();
    return any;
}

bool Director::drain() {
    bool any = false;
    transport::Message message;
    for (auto& [id, member] : members_) {
        while (member.up.pop(message)) {
            any = true;
            if (member.group == nullptr) {
                handle_writer(member.rank, message);
            } else {
                handle_reader(member, message);
            }
        }
    }
    if (any) {
        balance();
    }
    if (any && service_.joinable()) {
        transport::ring(*bell_);  // rank 0 may wait for what the service thread has found, or the other way round
    }
    return any;
}

void Director::handle_writer(int rank, const transport::Message& message) {
    switch (static_cast<Hot>(message.kind)) {
        case Hot::record: add_record(rank, message, false); break;
        case Hot::abandoned: add_record(rank, message, true); break;
        case Hot::finished:
            writers_[static_cast<std::size_t>(rank)].finished = true;
            writers_[static_cast<std::size_t>(rank)].steps = static_cast<std::int64_t>(message.step);
            break;
        default: base::log(base::LogLevel::warn, "stream '{}': writer rank {} sent nonsense", settings_.stream, rank);
    }
}

void Director::handle_reader(Member& member, const transport::Message& message) {
    const auto number = static_cast<std::int64_t>(message.step);
    ReaderGroup& group = *member.group;
    switch (static_cast<Hot>(message.kind)) {
        case Hot::release: release(member, number); break;
        case Hot::want: group.wants = group.wants || number > group.announced; break;
        case Hot::returned: take_back(member, number); break;
        default:
            base::log(base::LogLevel::warn, "stream '{}': reader rank {} sent nonsense", settings_.stream, member.rank);
    }
}

void Director::add_record(int rank, const transport::Message& message, bool abandoned) {
    const auto number = static_cast<std::int64_t>(message.step);
    const auto last = std::find_if(steps_.rbegin(), steps_.rend(), [&](const Step& s) { return s.number <= number; });
    const bool is_there = last != steps_.rend() && last->number == number;
    const auto step = is_there ? std::prev(last.base()) : add_step(last.base(), number);
    transport::Message& record = step->records[static_cast<std::size_t>(rank)];
    if (record.kind != 0) {
        base::log(base::LogLevel::warn, "stream '{}': writer rank {} sent step {} twice", settings_.stream, rank,
                  number);
        return;
    }
    record = message;
    record.kind = static_cast<std::uint32_t>(Hot::announce);
    record.rank = static_cast<std::uint32_t>(rank);
    step->abandoned |= abandoned;
    step->data_bytes += message.data_bytes;
    step->spilled_bytes += message.spilled_bytes;
    if (--step->missing > 0) {
        if (step->since == 0) {
            step->since = os::coarse_monotonic_nanoseconds();
        }
        return;
    }
    if (lost_writer_ >= 0) {
        step->abandoned = true;  // readers know that no step comes any more: all of them are to see the same
        static_cast<void>(settle(step));
        return;
    }
    next_step_ = std::max(next_step_, number + 1);
    step->since = os::coarse_monotonic_nanoseconds();
    if (step->abandoned) {
        skip(number);
        static_cast<void>(settle(step));
    } else {
        publish(step);
    }
    // Not before: a step that was marked and not announced would be lost with this process. One that was announced and
    // not marked is published again by the writer that comes back, and passed by those who have it.
    progress_->set_next_step(next_step_);
}

/// A step that no writer rank has spoken of yet.
std::list<Director::Step>::iterator Director::add_step(std::list<Step>::iterator before, std::int64_t number) {
    if (spare_steps_.empty()) {
        spare_steps_.emplace_back();
    }
    steps_.splice(before, spare_steps_, spare_steps_.begin());
    const auto step = std::prev(before);
    auto records = std::move(step->records);
    records.assign(static_cast<std::size_t>(settings_.writers), transport::Message{});
    *step = Step{};
    step->number = number;
    step->records = std::move(records);
    step->missing = settings_.writers;
    return step;
}

void Director::publish(std::list<Step>::iterator step) {
    const monitor::Span span(tracer_, "announce", step->number, step->data_bytes);
    published_steps_.add(1);
    published_bytes_.add(step->data_bytes);
    if (step->spilled_bytes > 0) {
        spilled_steps_.add(1);
        spilled_bytes_.add(step->spilled_bytes);
    }
    if (published_steps_.value() == 1) {
        describe_variables(*step);
    }
    if (is_kept(*step) && must_miss(settings_.overflow, step->number)) {
        stop_keeping(*step);
    }
    for (ReaderGroup& group : groups_) {
        offer(*step, group);
    }
    static_cast<void>(settle(step));
    balance();
}

std::list<Director::Step>::iterator Director::find_step(std::int64_t number) {
    return std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) { return step.number == number; });
}

std::int64_t Director::oldest_step() const {
    const auto oldest = std::find_if(steps_.begin(), steps_.end(),
                                     [](const Step& step) { return step.missing == 0 && !step.abandoned; });
    return oldest == steps_.end() ? next_step_ : oldest->number;
}

/// Whether a step that was published, from that number on, is gone. Nobody misses those that were abandoned.
bool Director::is_gone(std::int64_t number) const { return number < oldest_step() && number <= newest_gone_; }

void Director::skip(std::int64_t number) {
    for (auto& [id, member] : members_) {
        if (member.group != nullptr) {
            member.head->passed.store(number + 1, std::memory_order_release);
            transport::ring(member.head->bell);
        }
    }
}

void Director::announce(Step& step, Member& member) const {
    for (const transport::Message& record : step.records) {
        // The ring has room for the records of all steps that the queue can hold.
        if (!member.down.push(record)) {
            base::log(base::LogLevel::error, "stream '{}': the ring of reader rank {} is full", settings_.stream,
                      member.rank);
        }
    }
    transport::ring(member.head->bell);
    member.held.push_back(step.number);
    ++step.holders;
    step.pins += member.group->overflow.is_lossless() ? 0 : 1;
}

void Director::announce(Step& step, ReaderGroup& group) const {
    for (Member* const member : group.members) {
        if (member != nullptr && member->ready) {
            announce(step, *member);
        }
    }
    group.announced = step.number;
}

void Director::release(Member& member, std::int64_t number) {
    const auto held = std::find(member.held.begin(), member.held.end(), number);
    if (held == member.held.end()) {
        return;  // said twice, or never announced: nothing to give back
    }
    member.held.erase(held);
    ++member.released;
    const auto step = find_step(number);
    let_go(*step, member);
    static_cast<void>(settle(step));
}

void Director::let_go(Step& step, const Member& member) {
    --step.holders;
    step.pins -= member.group->overflow.is_lossless() ? 0 : 1;
}

std::list<Director::Step>::iterator Director::settle(std::list<Step>::iterator step) {
    if (step->missing > 0 || (!step->abandoned && (step->holders > 0 || step->waiting > 0 || is_kept(*step)))) {
        return std::next(step);
    }
    if (!step->abandoned) {
        newest_gone_ = std::max(newest_gone_, step->number);
    }
    free_step(*step);
    const auto next = std::next(step);
    spare_steps_.splice(spare_steps_.begin(), steps_, step);
    return next;
}

void Director::settle_all() {
    for (auto step = steps_.begin(); step != steps_.end();) {
        step = settle(step);
    }
}

void Director::free_step(const Step& step) {
    freed_for_rank_0_.push_back(step.number);
    for (const WriterRank& writer : writers_) {
        if (writer.member != nullptr) {
            static_cast<void>(writer.member->down.push(hot_message(Hot::freed, step.number)));
            transport::ring(writer.member->head->bell);
        }
    }
}

}  // namespace staithe::stream
