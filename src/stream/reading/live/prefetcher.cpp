#include "stream/reading/live/prefetcher.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "array/conversion.hpp"
#include "array/strided_copy.hpp"
#include "base/interruption.hpp"
#include "transform/parallel.hpp"

namespace staithe::stream::live {
namespace {

/// Below that a request costs as much as it hides; beyond so many pieces comparing them does.
constexpr std::int64_t least_bytes = 16 << 10;
constexpr std::size_t most_pieces = 1024;
constexpr std::size_t most_habits = 16;
/// A program that computes for less than a part of the time that fetching takes gains nothing by it, unless a part of
/// that time is the way of what it asks for and of the first bytes.
constexpr double worth_it = 0.2;
constexpr double delay_worth_it = 0.04;
/// Beside what is awaited and what follows it: enough for 10 Gbit/s over a way of 20 ms, and what was ordered and turns
/// out not to be wanted comes all the same.
constexpr std::int64_t most_bytes_behind = 32 << 20;

bool are_alike(const store::Piece& piece, const store::Piece& other) {
    return piece.block == other.block && piece.overlap.destination == other.overlap.destination &&
           piece.overlap.source == other.overlap.source && piece.description->dtype == other.description->dtype &&
           piece.description->column_major == other.description->column_major &&
           piece.description->box == other.description->box;
}

/// The order of the block, where it is one, so that its copy is as it would have been made.
Extents dense_strides(const MutableArrayView& array) {
    const std::int64_t size = size_of(array.dtype);
    const Extents column_major = column_major_strides(array.shape, size);
    return array.strides == column_major ? column_major : row_major_strides(array.shape, size);
}

}  // namespace

bool Prefetcher::Habit::is_for(std::span<const store::Piece> wanted, const MutableArrayView& destination) const {
    return shape.dtype == destination.dtype && shape.shape == destination.shape &&
           std::ranges::equal(pieces, wanted, are_alike);
}

MutableArrayView Prefetcher::Job::destination() const {
    MutableArrayView to = habit->shape;
    to.data = memory.get();
    return to;
}

Prefetcher::~Prefetcher() {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    blocks_.stop();
    changed_.notify_all();
    thread_.join();
}

void Prefetcher::begin(std::int64_t step) {
    if (!home_.here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    ++begun_;
    at_hand_ = step;
    has_fetched_ = false;
    std::erase_if(habits_, [this](const auto& habit) { return begun_ - habit->last > 2; });
    // What was expected of those before it nobody wants any more.
    drop([step](const Job& job) { return job.step < step && job.state != Job::State::runs; });
    for (const auto& job : jobs_) {
        if (job->step == step) {
            job->claim = {};
        }
    }
    changed_.notify_all();
}

void Prefetcher::expect(std::int64_t step, std::span<const store::BlockRef> refs) {
    if (!home_.here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    for (const auto& habit : habits_) {
        const bool is_known =
            std::ranges::any_of(jobs_, [&](const auto& job) { return job->step == step && job->habit == habit; });
        const bool fits = std::ranges::all_of(habit->pieces, [&](const store::Piece& piece) {
            return piece.block < refs.size() &&
                   store::check(refs[piece.block], *piece.description, refs[piece.block].encoding);
        });
        const bool is_late = std::ranges::any_of(jobs_, [&](const auto& job) { return job->step > step; });
        if (is_known || is_late || !fits || habit->in_a_row < 2 ||
            (busy_ < worth_it * habit->time && blocks_.delay() < delay_worth_it * habit->time)) {
            continue;
        }
        auto claim = step == at_hand_ ? base::Result<base::Claim>()
                                      : base::claim(base::Resource::prefetch, habit->bytes, "fetch ahead");
        if (!claim) {
            continue;
        }
        auto job = std::make_shared<Job>();
        job->step = step;
        job->habit = habit;
        job->refs.assign(refs.begin(), refs.end());
        job->memory = memory_->take(habit->bytes);
        job->claim = *std::move(claim);
        jobs_.push_back(std::move(job));
    }
    if (!jobs_.empty() && !thread_.joinable()) {
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error&) {  // no thread: nothing is fetched ahead
            jobs_.clear();
        }
    }
    changed_.notify_all();
}

void Prefetcher::forget(std::int64_t step) {
    if (!home_.here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    drop([step](const Job& job) { return job.step == step; });  // one that runs ends by itself, with its memory
}

void Prefetcher::drop(base::FunctionRef<bool(const Job&)> which) {
    std::erase_if(jobs_, [&](const auto& job) { return which(*job); });
}

/// Orders what waits, behind what was asked for, as far as that is worth it.
void Prefetcher::ask_ahead(Jobs& asked, std::unique_lock<std::mutex>& lock) {
    for (;;) {
        const auto next = std::ranges::find(jobs_, Job::State::waits, [](const auto& job) { return job->state; });
        if (next == jobs_.end() || stopping_) {
            return;
        }
        std::int64_t behind = (*next)->habit->bytes;
        for (std::size_t i = 1; i < asked.size(); ++i) {
            behind += asked[i]->habit->bytes;
        }
        const bool takes_orders = asked.empty() || asked.back()->order != nullptr;
        if (!takes_orders || (asked.size() > 1 && behind > most_bytes_behind)) {
            return;
        }
        asked.push_back(*next);
        Job& job = **next;  // kept, as the list changes meanwhile
        job.state = Job::State::runs;
        lock.unlock();
        auto order = transform::guarded([&]() -> base::Result<std::unique_ptr<store::Order>> {
            return blocks_.order(job.refs, job.habit->pieces, job.destination());
        });
        job.order = order ? *std::move(order) : nullptr;
        job.asked_since = base::Clock::now();
        lock.lock();
    }
}

base::Result<> Prefetcher::await(Jobs& asked) {
    const auto job = asked.front();
    return transform::guarded([&] {
        if (job->order == nullptr) {
            return blocks_.fetch(job->refs, job->habit->pieces, job->destination());
        }
        return job->order->await([&] {
            std::unique_lock lock(mutex_);
            ask_ahead(asked, lock);
        });
    });
}

void Prefetcher::run() {
    Jobs asked;  // in the order in which they come
    base::Clock::time_point turn{};
    std::unique_lock lock(mutex_);
    for (;;) {
        ask_ahead(asked, lock);
        if (stopping_) {
            return;
        }
        if (asked.empty()) {
            changed_.wait(lock);
            continue;
        }
        lock.unlock();
        const bool fetched = bool(await(asked));
        const auto job = asked.front();
        asked.pop_front();
        job->order.reset();
        const auto began = std::max(turn, job->asked_since);
        turn = base::Clock::now();
        lock.lock();
        job->state = fetched ? Job::State::done : Job::State::failed;  // who wants it asks again, and is told why
        const auto habit = std::ranges::find(habits_, job->habit);
        if (habit != habits_.end()) {
            (*habit)->time = turn - began;
        }
        changed_.notify_all();
    }
}

bool Prefetcher::is_next(Jobs::const_iterator job) const {
    return std::all_of(jobs_.begin(), job, [&](const auto& before) { return before->step == (*job)->step; });
}

std::shared_ptr<Prefetcher::Job> Prefetcher::job_for(std::int64_t step, std::span<const store::Piece> pieces,
                                                     const MutableArrayView& destination) {
    std::unique_lock lock(mutex_);
    const auto find = [&] {
        return std::ranges::find_if(
            jobs_, [&](const auto& job) { return job->step == step && job->habit->is_for(pieces, destination); });
    };
    if (!std::exchange(has_fetched_, true)) {
        busy_ = base::Clock::now() - last_use_;
    }
    auto found = find();
    // What waits behind other steps is sooner here if it is fetched now.
    while (found != jobs_.end() &&
           ((*found)->state == Job::State::runs || ((*found)->state == Job::State::waits && is_next(found)))) {
        const base::Seconds some_time = base::next_question(base::Deadline(base::Seconds(1))).left();
        changed_.wait_for(lock, some_time);
        lock.unlock();  // to ask may take the interpreter's lock, whose holder may want this one
        const bool gives_up = base::interrupted();
        lock.lock();
        if (gives_up) {
            return nullptr;
        }
        found = find();
    }
    if (found == jobs_.end()) {
        return nullptr;
    }
    const auto job = *found;
    jobs_.erase(found);
    job->claim = {};  // what is asked for is the program's own
    return job->state == Job::State::done ? job : nullptr;
}

void Prefetcher::learn(std::span<const store::Piece> pieces, const MutableArrayView& destination, base::Seconds time) {
    const std::lock_guard lock(mutex_);
    last_use_ = base::Clock::now();
    const auto known =
        std::ranges::find_if(habits_, [&](const auto& habit) { return habit->is_for(pieces, destination); });
    if (known != habits_.end()) {
        Habit& habit = **known;
        habit.in_a_row += habit.last + 1 == begun_ ? 1 : 0;
        habit.last = begun_;
        habit.time = time > base::Seconds(0) ? time : habit.time;
        return;
    }
    const std::int64_t bytes = size_in_bytes(destination.shape, destination.dtype).value_or(0);
    std::int64_t elements = 0;  // the rest nobody has written, and is not to be written over
    for (const store::Piece& piece : pieces) {
        elements += volume(piece.overlap.destination.count).value_or(0);
    }
    if (elements < volume(destination.shape) || bytes < least_bytes || pieces.size() > most_pieces ||
        habits_.size() >= most_habits) {
        return;
    }
    auto habit = std::make_shared<Habit>();
    habit->pieces.assign(pieces.begin(), pieces.end());
    habit->descriptions.reserve(pieces.size());
    for (store::Piece& piece : habit->pieces) {
        piece.description = &habit->descriptions.emplace_back(*piece.description);
    }
    habit->shape = {nullptr, destination.dtype, destination.shape, dense_strides(destination)};
    habit->bytes = bytes;
    habit->last = begun_;
    habit->time = time;
    habits_.push_back(std::move(habit));
}

base::Result<> Prefetcher::fetch(std::int64_t step, std::span<const store::BlockRef> refs,
                                 std::span<const store::Piece> pieces, const MutableArrayView& destination) {
    if (!home_.here()) {
        return blocks_.fetch(refs, pieces, destination);
    }
    if (const auto job = job_for(step, pieces, destination)) {
        array::copy(destination, job->destination(), job->habit->bytes);
        learn(pieces, destination, {});
        return {};
    }
    const auto began = base::Clock::now();
    auto fetched = blocks_.fetch(refs, pieces, destination);
    learn(pieces, destination, base::Clock::now() - began);
    return fetched;
}

std::optional<Prefetcher::Fetched> Prefetcher::take(std::int64_t step, const store::Piece& piece) {
    if (!home_.here()) {
        return std::nullopt;
    }
    const Extents& shape = piece.overlap.destination.count;
    const MutableArrayView wanted{nullptr, piece.description->dtype, shape, {}};
    const auto job = job_for(step, std::span(&piece, 1), wanted);
    if (job == nullptr) {
        return std::nullopt;
    }
    const MutableArrayView array = job->destination();
    learn(std::span(&piece, 1), array, {});
    return Fetched{array, job->memory};
}

}  // namespace staithe::stream::live
