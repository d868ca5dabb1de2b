#include "stream/directing/publication.hpp"

#include <utility>

#include "stream/finding/ended_note.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {
namespace {

/// Why a name is taken, if it is a server's: that one does not write the stream, and will not end with it.
base::Result<> of_server(const transport::Directory& directory, const std::string& stream, base::Result<> taken) {
    const auto owner = directory.find(transport::Kind::stream, stream);
    for (const auto& server : directory.list(transport::Kind::server)) {
        if (owner && *owner && server.process == (*owner)->process) {
            return base::fail(ErrorCode::already_exists,
                              "stream '{}' is at {}, {}: write it with placement='servers', too, which takes over its "
                              "name once its writer has closed it; or choose another name, or end the server",
                              stream, server.title(), to_string(server.peer));
        }
    }
    return taken;
}

}  // namespace

base::Result<> Publication::open(transport::Link::RequestHandler handler, const DirectorSettings& settings) {
    if (auto offered = endpoint_->offer(stream_, std::move(handler), settings.listen); !offered) {
        return offered;
    }
    is_offered_ = true;
    const auto entry =
        transport::own_entry(transport::Kind::stream, stream_, endpoint_->addresses(), endpoint_->self());
    const transport::Directory directory(endpoint_->run_directory());
    auto published = directory.publish(entry);
    if (!published) {
        return published.error().code == ErrorCode::already_exists ? of_server(directory, stream_, std::move(published))
                                                                   : std::move(published);
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
