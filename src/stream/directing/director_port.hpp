// How a writer rank reaches the director: rank 0 by a call, the others through their channels; if it is in a server,
// all of them. Both behave alike.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "stream/directing/director.hpp"
#include "stream/directing/membership.hpp"
#include "stream/holding/holdings.hpp"
#include "transport/directory/search.hpp"

namespace staithe::stream {

class DirectorPort {
  public:
    virtual ~DirectorPort() = default;
    virtual base::Result<> submit(const WrittenPart& part) = 0;
    /// The rank gave the step up.
    virtual base::Result<> abandon(std::int64_t step) = 0;
    /// The rank writes no more; `steps` is the number of the one that it would have written next.
    virtual base::Result<> finished(std::int64_t steps) = 0;
    /// This process may hold no more steps: one of those that may be lost is to go. May be said again and again.
    virtual void squeeze() = 0;
    /// Adds the steps whose memory may be used again.
    virtual void take_freed(std::vector<std::int64_t>& steps) = 0;
    /// Adds the steps that stay for readers to come alone, and of which the queue is rid.
    virtual void take_resting(std::vector<std::int64_t>& steps) = 0;
    /// Adds the steps whose blocks are elsewhere by now: their memory may be used again, but the queue has them.
    virtual void take_fetched(std::vector<std::int64_t>& steps) = 0;
    /// There was none for the block that was asked for last, but kept steps have gone for it, or other streams may give
    /// some back.
    [[nodiscard]] virtual bool memory_may_come() = 0;
    /// Why the stream cannot go on, if so.
    virtual std::optional<base::Failure> trouble() = 0;
    /// Where this rank waits for what the director says.
    [[nodiscard]] virtual transport::Waitable& news() const = 0;
    /// Has the director see since when this rank sleeps, in nanoseconds of the monotonic clock; 0: it is awake.
    virtual void show_asleep(std::int64_t since) = 0;
    /// Why this rank's queue is full. `timeout` if rank 0 does not answer.
    [[nodiscard]] virtual base::Result<Awaited> awaited() = 0;
    virtual void add_stall(std::chrono::nanoseconds time) = 0;
    virtual base::Result<> finish(std::optional<double> chosen_timeout) = 0;
    /// Ends this rank's part without waiting.
    virtual void stop() = 0;
    /// The same, and the stream for all as failed.
    virtual void fail(const std::string& reason) = 0;
    /// Steps that go with the stream if rank 0 stops now.
    [[nodiscard]] virtual std::int64_t unread() const = 0;
    [[nodiscard]] virtual const QueueLimits& queue() const = 0;
    /// The number of the writer group's first step.
    [[nodiscard]] virtual std::int64_t first_step() const = 0;
    /// Steps that reader groups have lost, summed over the groups.
    [[nodiscard]] virtual std::int64_t dropped() const = 0;
};

/// Rank 0: the director is in this process.
std::unique_ptr<DirectorPort> local_port(std::shared_ptr<Director> director, const DirectorSettings& settings);

/// Of a stream that a server directs: every rank joins what that has opened, in the run directory or by the places. Its
/// memory is in the membership, if the server is of this host; else `introduce` has said what the rank has.
base::Result<std::shared_ptr<Membership>> join_server(const std::shared_ptr<transport::Endpoint>& endpoint,
                                                      const std::string& stream, const Group& group,
                                                      const Membership::Introduce& introduce,
                                                      std::optional<double> chosen_timeout,
                                                      const transport::Places& places);
/// The holdings are of a rank whose server is elsewhere, which fetches what the rank writes.
std::unique_ptr<DirectorPort> port_to_server(std::shared_ptr<Membership> membership, std::shared_ptr<memory::Pool> pool,
                                             std::unique_ptr<Holdings> holdings, const Group& group);

/// Ranks above 0: finds rank 0, in the run directory or by the places, and joins its group. Records go into the pool.
base::Result<std::unique_ptr<DirectorPort>> join_director(const std::shared_ptr<transport::Endpoint>& endpoint,
                                                          const std::string& stream, std::unique_ptr<Holdings> holdings,
                                                          std::shared_ptr<memory::Pool> pool,
                                                          std::optional<double> chosen_timeout,
                                                          const transport::Places& places);

}  // namespace staithe::stream
