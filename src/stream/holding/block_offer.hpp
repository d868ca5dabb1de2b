// The blocks that a process holds, for those that nobody passes its pools to: readers of other hosts, and those of this
// host if the stream's director is elsewhere.
//
// Whoever is on this host is given the pools; others get connections to a thread that serves their blocks and needs
// nothing of the program, which may compute meanwhile, and may read them by RDMA where both have it. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "monitor/span.hpp"
#include "os/file_descriptor.hpp"
#include "store/remote/block_server.hpp"
#include "stream/holding/fabric_offer.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::stream {

/// What one asks a process for that holds blocks of the stream as that writer rank, or as the director.
std::string service_of_blocks(const std::string& stream, int rank);

class BlockOffer {
  public:
    /// The files of pools, by the numbers of their stores.
    using Files = std::map<std::uint32_t, os::FileDescriptor>;
    /// Called at the first request, in the endpoint's thread.
    using Find = std::function<base::Result<Files>()>;

    /// Listens at ports meanwhile, as `listen` says (Endpoint::offer). With what this returns the name is free again,
    /// and whoever has a connection loses it.
    static base::Result<std::shared_ptr<BlockOffer>> make(std::shared_ptr<transport::Endpoint> endpoint,
                                                          std::string service, Find find,
                                                          const std::optional<std::string>& listen = std::nullopt,
                                                          const monitor::Tracer& tracer = {});
    ~BlockOffer() = default;
    /// The name is free from now on; who has asked before still gets what he asked for.
    void withdraw();
    BlockOffer(const BlockOffer&) = delete;
    BlockOffer& operator=(const BlockOffer&) = delete;

    /// Of the process at the other end of that link, whether it has asked or not; nullptr if the link has ended.
    std::shared_ptr<const store::remote::Traffic> traffic_to(const std::shared_ptr<transport::Link>& link);

    /// Of each that has asked, and is still there.
    std::vector<std::pair<transport::Peer, std::shared_ptr<const store::remote::Traffic>>> all_traffic();

  private:
    using Link = std::shared_ptr<transport::Link>;
    struct Visitor {
        std::shared_ptr<transport::Link::CloseHandler> on_close;
        std::shared_ptr<const store::remote::BlockServer::Client> client;  // its connections end with it
        std::map<std::string, std::shared_ptr<void>> awaited;              // further ones, by purpose
        std::shared_ptr<store::remote::Traffic> traffic;
        FabricOffer::Agreed agreed;
    };
    BlockOffer(std::shared_ptr<transport::Endpoint> endpoint, std::string service, Find find,
               const monitor::Tracer& tracer)
        : endpoint_(std::move(endpoint)), service_(std::move(service)), find_(std::move(find)), tracer_(tracer) {}

    // In the endpoint's thread.
    void answer(const Link& link, const transport::Packet& request);
    base::Result<Attributes> await_connection(const Link& link);
    void answer_later_by_fabric(const Link& link, const transport::Packet& request);
    base::Result<Attributes> answer_by_fabric(const Link& link, const Attributes& request);
    Visitor* visitor_at(const Link& link);
    void take_connection(const Link& link, const std::string& purpose, os::FileDescriptor socket);
    base::Result<> open_stores();

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string service_;
    const Find find_;
    const monitor::Tracer tracer_;

    std::mutex mutex_;
    Files files_;
    std::shared_ptr<store::remote::BlockServer> server_;  // from the first one of another host on
    std::shared_ptr<const store::remote::Stores> stores_;
    FabricOffer fabric_;                // of the errands' thread
    std::map<Link, Visitor> visitors_;  // their links stay, whatever else this process has made them for
    std::atomic<bool> is_offered_{false};
    std::weak_ptr<BlockOffer> self_;
    transport::Errands errands_;  // goes first
};

}  // namespace staithe::stream
