// What Staithe asks of a library for RDMA, and plugins/fabric does with libfabric: reads of memory that another process
// has registered, which need nothing of that process's program.
//
// The plugin is built along with the library that loads it, so this is no binary interface for anybody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace staithe::transport::fabric {

/// What drives a network's adapters, as libfabric names it. Two versions need not understand each other.
struct Provider {
    std::string name;
    std::string version;
    friend bool operator==(const Provider&, const Provider&) = default;
};

/// Registered memory of a port, which must stay mapped until this is destroyed; before its port is, and while reads into
/// it are under way, after that was stopped.
class Region {
  public:
    Region() = default;
    virtual ~Region() = default;
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    [[nodiscard]] virtual std::uint64_t key() const = 0;
    /// By which peers name its first byte.
    [[nodiscard]] virtual std::uint64_t address() const = 0;
};

/// An endpoint with all that it needs, of one thread at a time.
class Port {
  public:
    Port() = default;
    virtual ~Port() = default;
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    /// Of this port, as peers need it.
    [[nodiscard]] virtual const std::string& address() const = 0;

    enum class Use { read_by_peers, written_by_reads };
    /// Nothing if the provider needs none for that use.
    virtual base::Result<std::unique_ptr<Region>> register_memory(std::span<std::byte> memory, Use use) = 0;

    /// Reads go to the port of that address from now on: bytes that came from another process.
    virtual base::Result<> connect(std::string_view address) = 0;

    /// Begins to read from there into a part of the region. False if so many reads are under way that there is no room.
    virtual base::Result<bool> read(std::span<std::byte> into, const Region* region, std::uint64_t address,
                                    std::uint64_t key) = 0;
    [[nodiscard]] virtual std::size_t longest_read() const = 0;

    /// Does what there is to do now, for peers' reads as for its own. How many of these are done.
    virtual base::Result<std::size_t> advance() = 0;

    /// Ends it. When this returns nothing reads from its regions any more, or writes into them, whatever was under way.
    /// Then they may go, and after them the port.
    virtual void stop() = 0;

    /// What becomes readable when there is more to do. -1 if there is something now, or if nothing tells: ask again.
    [[nodiscard]] virtual int descriptor_to_sleep_on() = 0;
};

enum class Side { owner, reader };

class Plugin {
  public:
    Plugin() = default;
    virtual ~Plugin() = default;
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;

    /// Those of that name, or all that are there, the best first.
    virtual std::vector<Provider> providers(const std::string& name) = 0;

    /// On the owner's side one that peers reach by the owner's host, on the reader's one that reaches it.
    virtual base::Result<std::unique_ptr<Port>> open(const Provider& provider, const std::string& host, Side side) = 0;
};

constexpr unsigned plugin_interface = 1;

}  // namespace staithe::transport::fabric

/// The one function that the plugin exports. Null if it was built for another interface.
extern "C" staithe::transport::fabric::Plugin* staithe_fabric_plugin_get(unsigned interface);
