// A port of this process that reads blocks out of one owner's memory, which need not do anything about it.
//
// Whoever calls makes it go on: bytes are written into a destination until `advance` says that it is finished, and never
// once the lane is gone. One thread at a time. Failures: `peer_lost` if a read fails, `limit_reached` if the destination
// cannot be registered; a lane that has failed is of no more use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "store/remote/transfer.hpp"
#include "transport/fabric/exposed_pools.hpp"
#include "transport/fabric/plugin.hpp"

namespace staithe::store::fabric {

/// What both sides have agreed on, and where the owner is.
struct Terms {
    transport::fabric::Provider provider;
    std::string host;     // of the owner, as the reader reaches it
    std::string address;  // of its port
    transport::fabric::Place greeting;
    std::uint64_t greeting_number = 0;
};

/// A transfer, and where the block that it is of lies in the owner's registered memory.
struct FabricTransfer {
    remote::Transfer transfer;
    std::uint64_t address = 0;
    std::uint64_t key = 0;
};

class FabricLane {
  public:
    /// Connects, and sees by the owner's greeting that it has reached it. `timeout` if that does not come.
    static base::Result<std::unique_ptr<FabricLane>> open(const Terms& terms, const base::Deadline& deadline);
    ~FabricLane();
    FabricLane(const FabricLane&) = delete;
    FabricLane& operator=(const FabricLane&) = delete;

    /// Begins to read them, of a lane that is finished; they all go into `memory`.
    base::Result<> ask(std::vector<FabricTransfer> transfers, std::span<std::byte> memory);
    /// Whether something was done.
    base::Result<bool> advance();
    [[nodiscard]] bool is_finished() const { return next_ == transfers_.size() && under_way_ == 0; }
    /// The destination may be anybody's again.
    void let_go() { destination_.reset(); }

    /// What wakes who sleeps until it goes on; -1 if nothing does.
    [[nodiscard]] int descriptor_to_sleep_on();
    /// Since when nothing came.
    [[nodiscard]] base::Clock::time_point silent_since() const { return silent_since_; }
    /// Of a lane that is not finished.
    [[nodiscard]] const remote::Transfer& awaited() const;

  private:
    explicit FabricLane(std::unique_ptr<transport::fabric::Port> port) : port_(std::move(port)) {}
    base::Result<> greet(const Terms& terms, const base::Deadline& deadline);
    base::Result<bool> begin_reads();
    void take(std::byte* buffer, std::int64_t bytes);

    const std::unique_ptr<transport::fabric::Port> port_;
    const std::unique_ptr<std::byte[]> buffer_ =
        std::make_unique_for_overwrite<std::byte[]>(remote::Arrival::buffer_bytes);
    std::unique_ptr<transport::fabric::Region> buffer_region_;
    std::unique_ptr<transport::fabric::Region> destination_;

    std::vector<FabricTransfer> transfers_;
    std::size_t next_ = 0;                     // whose reads begin
    std::optional<remote::Arrival> arriving_;  // its bytes
    remote::Runs runs_;                        // in the block
    std::int64_t begun_ = 0;                   // bytes of it
    std::span<std::byte> room_;                // for the next of them
    std::int64_t batch_ = 0;                   // bytes on their way into the buffer
    std::size_t under_way_ = 0;                // reads
    base::Clock::time_point silent_since_ = base::Clock::now();
};

}  // namespace staithe::store::fabric
