// A server that keeps spaces and streams for other programs, as `staithe serve` runs it.
//
//     staithe::Server server;     // programs of this user find it from now on
//     std::this_thread::sleep_for(std::chrono::hours(1));  // it answers from threads of its own until it goes
//
// What it keeps lies in its memory, and goes with it, but for what was put to outlive it. A program that dies takes
// nothing along that it has put.
// Threads: safe from any. Errors: InvalidArgument for the name, AlreadyExists if a server that lives has it or its
// folder, LimitReached if it has no memory for what is in the folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/export.hpp>
#include <staithe/group.hpp>
#include <staithe/value.hpp>

namespace staithe {

namespace server {
class Reception;
class DeviceOffer;
}  // namespace server

struct ServerOptions {
    std::string name = "staithe";  // under which programs find it
    /// Servers of one name that are ranks of a group keep spaces together: this one is called "name.rank-of-size",
    /// programs find any of them by the name, and what they put is spread over all.
    Group group{};
    /// For programs of other hosts: "0.0.0.0:7700", "off"; else as STAITHE_LISTEN says, and the run directory.
    std::optional<std::string> listen = std::nullopt;
    /// A folder that belongs to this server alone, or to its group together, and is made if it is not there: for what
    /// programs put to outlive the server (`SpacePut::persist`), and for versions that nobody has used for long, when
    /// memory has no room for others. What was to outlive earlier ones these have from their start, however many they
    /// were.
    std::optional<std::string> spill = std::nullopt;
    /// How much of it may lie there because memory has no room, at most; else as much as the disk takes. Of each
    /// server.
    std::optional<std::int64_t> spill_bytes = std::nullopt;
    /// How many cores may work at a time for programs of other hosts, which it sends bytes to and receives bytes from,
    /// and reduces blocks for; else as many as the process may run on. Those of its own host move theirs themselves.
    std::optional<int> cores = std::nullopt;
    /// In how many servers of the group all lies that is put: with 2, any one of them may be gone at any moment, and
    /// nothing is lost. The same for all servers of the group; 1 or 2, and not with `spill`.
    int replicas = 1;
};

class STAITHE_API Server {
  public:
    /// `LimitReached` if `limits().memory` is more than the machine, or the control group of a job, can give;
    /// `InvalidArgument` if it is less than 1 MB.
    explicit Server(const ServerOptions& options = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// What it has: name, program, host, pid, memory (used, or kept for reuse), bytes (of blocks in it) and
    /// memory_limit (bytes; null: none), persisted (folder and bytes; null: it has none), spilled (bytes that lie on
    /// disk since memory has no room; null: it has no folder) and spill_limit (null: none), clients (that have a space
    /// open); spaces by name: variables, versions, blocks, bytes; streams by name: state, ranks, steps, kept (steps),
    /// readers, memory (bytes); and waits, a list of who waits the longest: program, host, pid, kind ("version",
    /// "room", "lock"), wants, seconds, reason; and draining.
    [[nodiscard]] Attributes describe() const;
    /// It has been drained: nobody needs it any more, and it is to go.
    [[nodiscard]] bool is_dismissed() const;
    /// A descriptor, the server's own, that is readable once it is: for poll() and event loops.
    [[nodiscard]] int dismissal() const;

  private:
    struct Offer;
    std::shared_ptr<server::Reception> reception_;
    std::unique_ptr<Offer> offer_;
};

struct DeviceOptions {
    std::string name = "remote";  // as ways of coding are called by it: "dq on remote"
    /// For programs of other hosts: "0.0.0.0:7800", "off"; else as STAITHE_LISTEN says, and the run directory.
    std::optional<std::string> listen = std::nullopt;
    /// How many cores encode at a time; else as many as the process may run on.
    std::optional<int> cores = std::nullopt;
};

/// Encodes what other programs send to other hosts, as `staithe serve --device` runs it: those of this user and host
/// find it from now on, and give it what it has encoded sooner than they do. A codec that crashes takes this process
/// along, and nothing of theirs.
class STAITHE_API DeviceServer {
  public:
    /// `InvalidArgument` for the name or the number of cores, `AlreadyExists` if another one that lives has the name,
    /// this process encodes for others already, or another one has the port.
    explicit DeviceServer(const DeviceOptions& options = {});
    ~DeviceServer();
    DeviceServer(const DeviceServer&) = delete;
    DeviceServer& operator=(const DeviceServer&) = delete;

    /// As `describe_devices` tells it.
    [[nodiscard]] Attributes describe() const;

  private:
    std::unique_ptr<server::DeviceOffer> offer_;
};

/// What the devices say of themselves that are in this user's run directory, and those at STAITHE_DEVICES; or at that
/// address alone: name, program, host, pid, cores, clients, codecs (name, lossless, lossy_dtypes), and what was
/// encoded: parts, bytes, coded (bytes), seconds. One that does not say has its name and "error".
[[nodiscard]] STAITHE_API std::vector<Attributes> describe_devices(
    const std::optional<std::string>& address = std::nullopt, double timeout = 5.0);

/// What a server says of itself, by its name or its address, "node7:7700" or "staithe://node7:7700/name". NotFound if
/// there is none.
[[nodiscard]] STAITHE_API Attributes describe_server(const std::string& name, double timeout = 5.0);
/// Lets a server take in no more streams, nor blocks of streams that others direct, from now on; and once nobody needs
/// what it has, dismisses it. What somebody still needs, a line each, is returned: ask again until there is nothing.
/// That is each stream that is written or read, or keeps steps, blocks of other servers' streams, and spaces that no
/// other server has all of. With `drops_kept` nobody needs kept steps of streams that have ended, nor spaces if no
/// program has any open. NotFound if there is no such server, InvalidArgument if several are called so together.
STAITHE_API std::vector<std::string> drain_server(const std::string& name, bool drops_kept = false,
                                                  double timeout = 5.0);
/// The names of servers of this user's run directory, and of those that can be asked at STAITHE_ADDRESS; or at that
/// address alone.
[[nodiscard]] STAITHE_API std::vector<std::string> server_names(
    const std::optional<std::string>& address = std::nullopt);

}  // namespace staithe
