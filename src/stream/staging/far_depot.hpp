// A depot in another server, which fetches what it is told of: docs/formats/stream_protocol.md.
//
// It is there as long as the link to that server, and this.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include <staithe/value.hpp>

#include "base/deadline.hpp"
#include "stream/staging/depot.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::stream {

class FarDepot final : public Depot {
  public:
    /// `service` is what readers ask the server for; the blocks lie in that store for them.
    static base::Result<std::shared_ptr<FarDepot>> open(transport::Endpoint& endpoint, const transport::Entry& server,
                                                        const std::string& stream, std::string service,
                                                        std::uint32_t store, const base::Deadline& deadline);
    ~FarDepot() override;

    base::Result<> take(Consignment consignment, Then then) override;
    [[nodiscard]] bool takes_more() const override { return !drains_; }
    void free(std::int64_t place) override;
    void shrink() override;
    [[nodiscard]] bool is_there() const override { return link_->is_open(); }
    void stop() override { stopped_ = true; }

  private:
    FarDepot(std::shared_ptr<transport::Link> link, std::string title, std::string service)
        : link_(std::move(link)), title_(std::move(title)), service_(std::move(service)) {}
    [[nodiscard]] Attributes message(const char* type) const;
    base::Result<Stowed> have_fetched(const Consignment& consignment);

    const std::shared_ptr<transport::Link> link_;
    const std::string title_;
    const std::string service_;
    std::atomic<bool> stopped_{false}, drains_{false};
    transport::Errands errands_;  // last: its thread uses the rest
};

}  // namespace staithe::stream
