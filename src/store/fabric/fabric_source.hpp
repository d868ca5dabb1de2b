// Blocks that processes of other hosts hold, read by RDMA where both sides have it, else over what there is beside it.
//
// The overlaps are read out of their owners' memory straight into the destination, from all owners at once, and the
// owners' programs have no part in it. What lies in many short runs is left to the other way, where its owner packs it;
// so is all of an owner that has no provider in common with this process, or whose memory cannot be had: why is told
// once. The calling thread does it all. Nothing is written into a destination once a fetch has returned, whatever it
// returned: ports on which reads were under way are closed first. A forked child uses the other way.
//
// Failures besides those of the other way: `peer_lost` if an owner is known to be gone, `timeout` if nothing comes of
// it for so long, or the program interrupts.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "store/fabric/fabric_lane.hpp"

namespace staithe::store::fabric {

/// Calls to an owner. Each may be made by several threads.
struct FabricOwner {
    std::string name;  // for messages: program, host, pid
    std::vector<std::uint32_t> stores;
    std::function<base::Result<Terms>(const base::Deadline& deadline)> agree;
    /// The registered memory that the block lies in.
    std::function<base::Result<transport::fabric::Place>(const BlockRef& ref, const base::Deadline& deadline)> find;
    std::function<bool()> is_gone = [] { return false; };
    /// Which way its blocks take, and why, for people: when that is decided.
    std::function<void(const std::string& way)> tell = [](const std::string& /*way*/) {};
};

class FabricSource final : public BlockSource {
  public:
    FabricSource(std::vector<FabricOwner> owners, std::shared_ptr<BlockSource> otherwise, base::Seconds timeout);
    ~FabricSource() override;

    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override;

    /// The other way, on which owners may do it: that takes a few bytes.
    base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                          reducing::Reduction& into) override {
        return otherwise_->reduce(refs, pieces, into);
    }
    Evaluator* evaluator(const BlockRef& ref) override { return otherwise_->evaluator(ref); }

    /// Of what goes the other way as a whole: reads by RDMA have no gaps between them that are worth it.
    std::unique_ptr<Order> order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override { return otherwise_->delay(); }

    void stop() override;

  private:
    class Reach;
    struct Busy {
        Reach* owner = nullptr;
        std::unique_ptr<FabricLane> lane;
    };
    base::Result<> await(std::vector<Busy>& busy) const;
    [[nodiscard]] base::Result<> check_silence(const Reach& reach, const FabricLane& lane) const;

    const std::shared_ptr<BlockSource> otherwise_;
    const base::Seconds timeout_;
    const os::Home home_;
    std::atomic<bool> stopped_{false};
    std::vector<std::shared_ptr<Reach>> owners_;
    std::map<std::uint32_t, Reach*> owner_of_store_;
};

}  // namespace staithe::store::fabric
