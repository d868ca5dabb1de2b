#include "stream/directing/publication.hpp"

#include <utility>

#include "stream/finding/ended_note.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {

base::Result<> Publication::open(transport::Link::RequestHandler handler, const DirectorSettings& settings) {
    if (auto offered = endpoint_->offer(stream_, std::move(handler), settings.listen); !offered) {
        return offered;
    }
    is_offered_ = true;
    const auto entry =
        transport::own_entry(transport::Kind::stream, stream_, endpoint_->addresses(), endpoint_->self());
    auto published = transport::Directory(endpoint_->run_directory()).publish(entry);
    if (!published) {
        return published;
    }
    is_published_ = true;
    clear_ended_notes(endpoint_->run_directory(), stream_);
    auto progress = Progress::open(endpoint_->run_directory(), stream_, settings.resume);
    if (!progress) {
        return base::fail(std::move(progress));
    }
    progress_ = *std::move(progress);
    if (!settings.offer_to.empty()) {
        auto announcement = transport::Announcement::start(endpoint_, entry, settings.offer_to);
        if (!announcement) {
            return base::fail(std::move(announcement));
        }
        announcement_ = *std::move(announcement);
    }
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
        announcement_ = nullptr;
        // Before the socket: a contact at whose socket nobody listens may be replaced, and is not ours any more.
        transport::Directory(endpoint_->run_directory()).withdraw(transport::Kind::stream, stream_);
    }
    if (std::exchange(is_offered_, false)) {
        endpoint_->withdraw(stream_);
    }
}

}  // namespace staithe::stream
