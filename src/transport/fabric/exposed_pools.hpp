// Pools of this process that others read by RDMA: a port, their memory registered as they grow, and a thread.
//
// Some providers need somebody to look after what peers read: that is the thread's work, which needs nothing of the
// program. It sleeps where the provider can wake it. Memory is registered whole and once, and deregistered when its pool
// has given it back, before it is unmapped. Adapters hold what is registered in memory: a range of a pool that is used
// anew after it was given back would have other pages than they know, so this is for pools whose offsets are used once.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "os/event.hpp"
#include "os/file_descriptor.hpp"
#include "os/shared_memory.hpp"
#include "transport/fabric/plugin.hpp"

namespace staithe::transport::fabric {

/// Registered memory, as peers name it; in a pool, the bytes from `offset` on.
struct Place {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::uint64_t address = 0;  // of the first of them
    std::uint64_t key = 0;
};

class ExposedPools {
  public:
    using Files = std::map<std::uint32_t, os::FileDescriptor>;

    /// A forked child does not end it. The files are looked at as long as this lives.
    static base::Result<std::shared_ptr<ExposedPools>> open(const Provider& provider, const std::string& host,
                                                            const Files& files);
    ~ExposedPools();
    ExposedPools(const ExposedPools&) = delete;
    ExposedPools& operator=(const ExposedPools&) = delete;

    [[nodiscard]] const std::string& address() const { return port_->address(); }

    /// Where peers read a number that nobody guesses, by which they know that they have reached this port.
    [[nodiscard]] const Place& greeting() const { return greeting_place_; }
    [[nodiscard]] std::uint64_t greeting_number() const { return *greeting_; }

    /// The registered memory that those bytes of a pool lie in. `protocol` if they are not there; `limit_reached` if no
    /// more memory may be registered.
    base::Result<Place> place_of(std::uint32_t store, std::int64_t offset, std::int64_t bytes);

  private:
    struct Piece {
        os::Mapping memory;
        std::unique_ptr<Region> region;  // goes first
    };
    using Pieces = std::map<std::int64_t, Piece>;  // by offset

    ExposedPools(std::unique_ptr<Port> port, os::Event news, const Files& files)
        : files_(files), news_(std::move(news)), port_(std::move(port)) {}
    base::Result<> greet();
    base::Result<Piece> register_piece(const os::FileDescriptor& file, std::int64_t offset, std::int64_t bytes);
    static void drop_given_back(const os::FileDescriptor& file, Pieces& pieces);
    void run();

    const Files& files_;
    const os::Event news_;
    std::mutex mutex_;
    const std::unique_ptr<Port> port_;
    std::unique_ptr<std::uint64_t> greeting_;
    std::unique_ptr<Region> greeting_region_;
    Place greeting_place_;
    std::map<std::uint32_t, Pieces> pieces_;  // by store
    std::map<std::uint32_t, std::int64_t> followed_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace staithe::transport::fabric
