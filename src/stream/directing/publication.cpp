#include "stream/directing/publication.hpp"

#include <utility>

#include "os/process.hpp"
#include "stream/finding/contact.hpp"
#include "stream/finding/ended_note.hpp"

namespace staithe::stream {

base::Result<> Publication::open(transport::Link::RequestHandler handler, bool resume) {
    if (auto offered = endpoint_->offer(stream_, std::move(handler)); !offered) {
        return offered;
    }
    is_offered_ = true;
    auto published =
        publish_contact(endpoint_->run_directory(), {stream_, endpoint_->socket_name(), endpoint_->self(),
                                                     os::start_time_of(os::process_id()).value_or(0)});
    if (!published) {
        return published;
    }
    is_published_ = true;
    auto progress = Progress::open(endpoint_->run_directory(), stream_, resume);
    if (!progress) {
        return base::fail(std::move(progress));
    }
    progress_ = *std::move(progress);
    return {};
}

void Publication::close(const End& end) {
    if (progress_ && (end.is_whole || progress_->next_step() == 0)) {
        progress_->remove();
    }
    if (std::exchange(is_published_, false)) {
        if (!end.was_read) {
            leave_ended_note(endpoint_->run_directory(), stream_, {endpoint_->self(), end.unread, end.failure});
        }
        // Before the socket: a contact at whose socket nobody listens may be replaced, and is not ours any more.
        withdraw_contact(endpoint_->run_directory(), stream_);
    }
    if (std::exchange(is_offered_, false)) {
        endpoint_->withdraw(stream_);
    }
}

}  // namespace staithe::stream
