// The depot in the process of the server itself: a pool, and a thread that fetches.
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

    // In the errands' thread.
    void work();
    base::Result<std::int64_t> fetch(const Consignment& consignment);
    base::Result<std::shared_ptr<store::BlockSource>> source_of(const Consignment& consignment);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string stream_;
    const std::shared_ptr<memory::Pool> pool_;
    std::atomic<bool> stopped_{false};

    mutable std::mutex mutex_;
    std::deque<std::pair<Consignment, Then>> waiting_;
    bool works_ = false;
    bool shrinks_ = false;
    std::map<std::int64_t, memory::Allocation> places_;
    std::map<int, std::shared_ptr<store::BlockSource>> sources_;  // by rank
    transport::Errands errands_;                                  // last: its thread uses the rest
};

}  // namespace staithe::stream
