// A stream as others find it: its name in the run directory, who answers there, who is told of it, how far it has come,
// and what remains of it when it has ended.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "stream/directing/director_settings.hpp"
#include "stream/directing/progress.hpp"
#include "transport/directory/announcement.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

class Publication {
  public:
    Publication(std::shared_ptr<transport::Endpoint> endpoint, std::string stream)
        : endpoint_(std::move(endpoint)), stream_(std::move(stream)) {}
    ~Publication() { close({}); }
    Publication(const Publication&) = delete;
    Publication& operator=(const Publication&) = delete;

    /// Takes the name: from then on `handler` gets what processes ask of the stream, in the endpoint's thread. If this
    /// fails, close.
    base::Result<> open(transport::Link::RequestHandler handler, const DirectorSettings& settings);
    [[nodiscard]] Progress& progress() const { return *progress_; }

    struct End {
        bool is_whole = false;    // there is nothing to continue
        bool was_read = true;     // by all reader groups that were expected; else they learn that they come too late
        std::int64_t unread = 0;  // steps
        std::string failure;
    };
    /// Gives the name back. No handler of it runs any more when this returns (unless it is called from one), so hold no
    /// lock that a handler may want.
    void close(const End& end);

  private:
    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string stream_;
    std::unique_ptr<Progress> progress_;
    std::shared_ptr<transport::Announcement> announcement_;
    bool is_offered_ = false;
    bool is_published_ = false;
};

}  // namespace staithe::stream
