// The depot in the process of the server itself: a pool, and a thread that fetches.
//
// Ranks of other hosts send blocks encoded where these are there sooner so; they are kept as they came, in parts.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "memory/pool.hpp"
#include "store/block_source.hpp"
#include "store/remote/remote_source.hpp"
#include "stream/staging/depot.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::stream {

class OwnDepot final : public Depot {
  public:
    static base::Result<std::shared_ptr<OwnDepot>> open(std::shared_ptr<transport::Endpoint> endpoint,
                                                        std::string stream);
    ~OwnDepot() override;

    base::Result<> take(Consignment consignment, Then then) override;
    void free(std::int64_t place) override;
    void shrink() override;
    void stop() override;
    /// What is there for consignments that are yet to come goes back to the system. Returns how much that was.
    std::int64_t give_back();

    /// What lies in it.
    [[nodiscard]] const os::FileDescriptor& file() const { return pool_->file(); }
    [[nodiscard]] std::int64_t bytes() const { return pool_->capacity(); }
    /// Somebody needs what lies there, or waits for what is to come.
    [[nodiscard]] bool is_in_use() const {
        const std::lock_guard lock(mutex_);
        return works_ || !places_.empty();
    }

  private:
    OwnDepot(std::shared_ptr<transport::Endpoint> endpoint, std::string stream, std::shared_ptr<memory::Pool> pool)
        : endpoint_(std::move(endpoint)), stream_(std::move(stream)), pool_(std::move(pool)) {}

    /// To a rank's memory: its pool on this host, else its process.
    struct Way {
        std::shared_ptr<store::BlockSource> source;
        std::shared_ptr<store::remote::RemoteSource> remote;  // the same; null: the pool
    };
    // In the errands' thread.
    void work();
    base::Result<Stowed> fetch(const Consignment& consignment);
    base::Result<Stowed> fetch_here(store::BlockSource& source, const Consignment& consignment, const Stowage& stowage);
    base::Result<Stowed> fetch_as_sent(store::remote::RemoteSource& source, const Consignment& consignment,
                                       const Stowage& stowage);
    base::Result<Way> way_to(const Consignment& consignment);
    base::Result<memory::Allocation> room_to_stay(std::int64_t bytes);
    base::Result<memory::Allocation> room_to_arrive(std::int64_t bytes);
    void arrive_there_again(const memory::Allocation& memory);
    Stowed keep(const memory::Allocation& memory, std::vector<store::BlockRef> blocks);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string stream_;
    const std::shared_ptr<memory::Pool> pool_;
    std::atomic<bool> stopped_{false};

    mutable std::mutex mutex_;
    std::deque<std::pair<Consignment, Then>> waiting_;
    bool works_ = false;
    bool shrinks_ = false;
    std::map<std::int64_t, memory::Allocation> places_;
    memory::Allocation arrival_;  // to which the next blocks come, if those before them were packed out of it
    std::map<int, Way> ways_;     // by rank
    transport::Errands errands_;  // last: its thread uses the rest
};

}  // namespace staithe::stream
