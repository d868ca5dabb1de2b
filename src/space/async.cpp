// Calls of spaces that nobody waits for.
#include <exception>
#include <memory>
#include <stop_token>
#include <utility>

#include <staithe/space.hpp>

#include "space/described.hpp"
#include "space/door.hpp"
#include "space/held_lock.hpp"
#include "space/keepers.hpp"

namespace staithe {
namespace {

/// Has `done` called with what the call gives, or throws.
template <class T, class Call>
void tell(const SpaceDone<T>& done, const Call& call) {
    std::promise<T> promise;
    try {
        promise.set_value(call());
    } catch (...) {
        promise.set_exception(std::current_exception());
    }
    done(promise.get_future());
}

/// The future of what `start` is to have told.
template <class T, class Start>
std::future<T> future_of(const Start& start) {
    auto promise = std::make_shared<std::promise<T>>();
    auto future = promise->get_future();
    start([promise](std::future<T> result) {
        try {
            promise->set_value(result.get());
        } catch (...) {
            promise->set_exception(std::current_exception());
        }
    });
    return future;
}

}  // namespace

void Space::get_async(const std::string& variable, const SpaceGet& options, SpaceDone<SpaceArray> done,
                      std::stop_token stop) const {
    base::value_or_raise(space::check_variable(variable));
    auto call = [keeper = keeper(), name = name_, closing = door_->closing(), stop = std::move(stop),
                 timeout = base::Seconds(timeout_of(options.timeout)), variable, options, done = std::move(done)] {
        tell(done, [&] {
            std::stop_source either;
            const auto end = [&either] { either.request_stop(); };
            const std::stop_callback closed(closing, end), stopped(stop, end);
            const base::Deadline deadline(timeout, either.get_token());
            const auto found = space::value_or_closed(
                keeper->find({.variable = variable, .version = options.version, .box = options.box}, deadline), name,
                deadline);
            return base::value_or_raise(space::array_in(found, options.box));
        });
    };
    base::value_or_raise(door_->gets().start(std::move(call)));
}

void Space::put_async(const std::string& variable, const ArrayView& block, const SpacePut& options,
                      SpaceDone<std::int64_t> done) {
    auto keeper = this->keeper();
    auto put = base::value_or_raise(space::described(
        variable, block, options, {.name = space::own_name(group_), .rank = group_.rank, .ranks = group_.size}));
    put.locks = base::value_or_raise(space::HeldLock::tokens_for(*keeper, variable, put.block.box));
    auto call = [keeper = std::move(keeper), name = name_, closing = door_->closing(), timeout = timeout_,
                 put = std::move(put), block, done = std::move(done)] {
        tell(done, [&] {
            const base::Deadline deadline(base::Seconds(timeout), closing);
            if (deadline.is_stopped()) {
                throw Closed("space '" + name + "' was closed before this block was put");
            }
            return space::value_or_closed(space::put_alone(*keeper, put, block, deadline), name, deadline);
        });
    };
    base::value_or_raise(door_->puts().start(std::move(call)));
}

std::future<SpaceArray> Space::get_async(const std::string& variable, const SpaceGet& options) const {
    return future_of<SpaceArray>([&](SpaceDone<SpaceArray> done) { get_async(variable, options, std::move(done)); });
}

std::future<std::int64_t> Space::put_async(const std::string& variable, const ArrayView& block,
                                           const SpacePut& options) {
    return future_of<std::int64_t>(
        [&](SpaceDone<std::int64_t> done) { put_async(variable, block, options, std::move(done)); });
}

}  // namespace staithe
