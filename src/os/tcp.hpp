// TCP: connections between processes of different hosts. Bytes go through them by send_some and receive_some of
// os/socket.hpp, without descriptors beside them.
//
// Small messages go at once (TCP_NODELAY), and what is not acknowledged is sent again after 25 ms and a round trip, not
// 200, where the kernel lets programs say so (6.15). The sizes of buffers are left to the kernel: whoever sets them
// ends its tuning of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/event.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

struct NetworkAddress {
    std::string host;  // a number of IPv4 or IPv6
    std::uint16_t port = 0;
};
/// Nothing if the host is no number.
std::optional<NetworkAddress> network_address(const std::string& host, std::uint16_t port);
/// "10.0.0.7:7000" or "[fe80::7]:7000".
std::string to_string(const NetworkAddress& address);

/// The numbers of this host, of all interfaces that are up; loopback last, and those left out that have a meaning on
/// one link alone.
std::vector<std::string> own_network_addresses();

/// Listens at a number of this host's, or at all (empty: of IPv4 and IPv6); port 0: any that is free. `already_exists`
/// if the port is taken.
base::Result<FileDescriptor> listen_at_port(const std::string& host, std::uint16_t port);
base::Result<std::uint16_t> port_of(const FileDescriptor& listener);

/// Never waits: once the socket is writable, `finish_connecting` says what came of it. `not_found` when nobody listens
/// there.
base::Result<FileDescriptor> begin_connecting(const NetworkAddress& address);
base::Result<> finish_connecting(const FileDescriptor& socket, const NetworkAddress& address);

/// Whether the socket leads to another host, or could.
bool is_tcp(const FileDescriptor& socket);
/// Who is at the other end, as this host sees it; empty if nobody is any more.
std::string peer_address_of(const FileDescriptor& socket);

/// For how long the other side has said nothing, by the kernel's clock.
struct Silence {
    base::Seconds of_process{};     // no bytes came
    base::Seconds of_host{};        // nor did the host's kernel acknowledge anything
    bool host_must_answer = false;  // it was sent something that it has not acknowledged
};
base::Result<Silence> silence_of(const FileDescriptor& socket);

/// Whether the other host's kernel has acknowledged all that was sent.
bool is_all_acknowledged(const FileDescriptor& socket);

/// Has the kernel end a connection on which nothing is said, once the other host has not answered for six seconds.
/// Where something was said and not acknowledged, it does not ask: `silence_of` tells.
base::Result<> keep_alive(const FileDescriptor& socket);

/// How much of what a connection has sent it had to send again.
struct Losses {
    std::int64_t segments_again = 0;
    std::int64_t bytes_a_segment = 1;
};
base::Result<Losses> losses_of(const FileDescriptor& socket);

/// What a connection has carried so far, and for how long it had something to carry, to some milliseconds.
struct Carried {
    std::int64_t bytes = 0;
    base::Seconds time{};
};
/// Nothing where the kernel does not count it (before 4.9), or it is no TCP connection.
std::optional<Carried> carried_by(const FileDescriptor& socket);

/// The time that something takes there and its acknowledgement back, of late.
base::Result<base::Seconds> round_trip_of(const FileDescriptor& socket);

/// Has what comes acknowledged when it is read, until something is sent the next time. The kernel would wait some 10 ms
/// with the last bytes of an answer, or 40, and the other side's takes them for under way meanwhile.
void acknowledge_at_once(const FileDescriptor& socket);

/// Who decides how fast a connection sends, such as "cubic"; empty if it is no TCP connection.
std::string congestion_control_of(const FileDescriptor& socket);
/// False where the kernel has no such one, or not for this user.
bool use_congestion_control(const FileDescriptor& socket, const std::string& name);

/// Asks for the numbers of a host's name, in a thread that is left to itself when nobody wants them any more: name
/// servers may take minutes.
class HostLookup {
  public:
    /// Joins one that is under way for the same name.
    static base::Result<HostLookup> begin(const std::string& host);
    /// Readable once there is a result.
    [[nodiscard]] int descriptor() const;
    /// Nothing yet, or all numbers, or the failure: `not_found` if no host has that name.
    [[nodiscard]] std::optional<base::Result<std::vector<std::string>>> result() const;

  private:
    struct State;
    explicit HostLookup(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

}  // namespace staithe::os
