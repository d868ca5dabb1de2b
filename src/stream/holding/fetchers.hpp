// The servers that fetch what a writer rank holds, and may have no other way to its process than links that this makes:
// to those that take part in the stream when the rank joins, and, when the director asks, to those that come later.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::stream {

/// What the director asks that writer rank's process for, with the `contact` of a server.
std::string service_of_fetchers(const std::string& stream, int rank);

class Fetchers {
  public:
    /// Answers the director from now on.
    static base::Result<std::shared_ptr<Fetchers>> offer(std::shared_ptr<transport::Endpoint> endpoint,
                                                         std::string stream, int rank);
    ~Fetchers() = default;
    Fetchers(const Fetchers&) = delete;
    Fetchers& operator=(const Fetchers&) = delete;

    /// Makes a link to that server, and keeps it.
    base::Result<> reach(const std::string& contact, const base::Deadline& deadline);

  private:
    Fetchers(std::shared_ptr<transport::Endpoint> endpoint, std::string stream)
        : endpoint_(std::move(endpoint)), stream_(std::move(stream)) {}
    void answer(const std::shared_ptr<transport::Link>& link, const transport::Packet& request);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string stream_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<transport::Link>> links_;
    transport::Errands errands_;  // last: its thread uses the rest
};

}  // namespace staithe::stream
