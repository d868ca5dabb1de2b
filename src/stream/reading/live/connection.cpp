#include "stream/reading/live/connection.hpp"

#include <new>
#include <utility>

#include "stream/describing/step_table.hpp"

namespace staithe::stream::live {

void Connection::release(std::int64_t step) {
    const monitor::Span span(tracer, "release", step);
    const std::lock_guard lock(send_mutex);
    // When the director is gone there is nobody to tell.
    static_cast<void>(membership->channel().send(hot_message(Hot::release, step)));
    released.add(1);
}

void Connection::want(std::int64_t step) {
    const std::lock_guard lock(send_mutex);
    static_cast<void>(membership->channel().send(hot_message(Hot::want, step)));
}

void Connection::hand_back(std::int64_t step) {
    const std::lock_guard lock(send_mutex);
    static_cast<void>(membership->channel().send(hot_message(Hot::returned, step)));
}

PinnedStep::PinnedStep(std::shared_ptr<Connection> pinned_by, std::int64_t number_of_step)
    : connection(std::move(pinned_by)) {
    number = number_of_step;
    source = {std::shared_ptr<void>(), connection->source.get()};  // lives as long as the connection, uncounted
    tracer = connection->tracer;
    connection->taken.add(1);
}

PinnedStep::~PinnedStep() {
    if (home.here()) {
        connection->release(number);
    } else {
        // A forked child releases nothing of its parent's, nor does it leave in its parent's name.
        static_cast<void>(new (std::nothrow) std::shared_ptr<Connection>(std::move(connection)));
    }
}

base::Result<Attributes> PinnedStep::attributes() const { return merge_attributes(encoded_attributes); }

}  // namespace staithe::stream::live
