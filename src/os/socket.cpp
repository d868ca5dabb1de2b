#include "os/socket.hpp"
#include "os/uninterrupted.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace staithe::os {
namespace {

struct Address {
    sockaddr_un name{};
    FileDescriptor directory;  // held open while `name` refers to it
};

// A socket's address holds 107 bytes, a run directory may have a longer path: the name goes through the
// directory's descriptor.
base::Result<Address> address_of(const std::string& directory, const std::string& name) {
    Address address;
    address.directory = FileDescriptor(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!address.directory) {
        if (errno != ENOENT && errno != ENOTDIR) {
            return fail_with_errno(errno, "open the run directory " + directory);
        }
        return base::fail(ErrorCode::not_found, "there is no run directory {}", directory);
    }
    const std::string path = fmt::format("/proc/self/fd/{}/{}", address.directory.get(), name);
    if (path.size() >= sizeof(address.name.sun_path)) {
        return base::fail(ErrorCode::invalid_argument, "the socket name '{}' is too long", name);
    }
    address.name.sun_family = AF_UNIX;
    std::memcpy(address.name.sun_path, path.c_str(), path.size() + 1);
    return address;
}

base::Result<FileDescriptor> new_socket(int flags = 0) {
    return open_descriptor("open a Unix socket",
                           [&] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0); });
}

}  // namespace

base::Result<FileDescriptor> listen_at(const std::string& directory, const std::string& name) {
    auto address = address_of(directory, name);
    if (!address) {
        return base::fail(std::move(address));
    }
    auto socket = new_socket(SOCK_NONBLOCK);  // accepting must not wait, if who connected is gone again
    if (!socket) {
        return socket;
    }
    ::unlinkat(address->directory.get(), name.c_str(), 0);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address->name);
    if (::bind(socket->get(), generic, sizeof(address->name)) != 0 || ::listen(socket->get(), SOMAXCONN) != 0) {
        return fail_with_errno_in(directory, errno, fmt::format("listen at {}/{}", directory, name));
    }
    // A directory that a group may enter is there for its members to connect.
    struct stat status{};
    const bool for_group = ::stat(directory.c_str(), &status) == 0 && (status.st_mode & 0070) != 0;
    if (::chmod(address->name.sun_path, for_group ? 0660 : 0600) != 0) {
        return fail_with_errno(errno, fmt::format("decide who may connect to {}/{}", directory, name));
    }
    return socket;
}

base::Result<FileDescriptor> connect_to(const std::string& directory, const std::string& name) {
    auto address = address_of(directory, name);
    if (!address) {
        return base::fail(std::move(address));
    }
    auto socket = new_socket(SOCK_NONBLOCK);  // connecting would wait for a process that is stopped
    if (!socket) {
        return socket;
    }
    const auto* const name_of_peer = reinterpret_cast<const sockaddr*>(&address->name);
    if (uninterrupted([&] { return ::connect(socket->get(), name_of_peer, sizeof(address->name)); }) != 0) {
        if (errno == ECONNREFUSED || errno == ENOENT) {
            return base::fail(ErrorCode::not_found, "nobody listens at {}/{}", directory, name);
        }
        if (errno == EAGAIN) {
            return base::fail(ErrorCode::timeout, "who listens at {}/{} takes nobody in", directory, name);
        }
        return fail_with_errno(errno, fmt::format("connect to {}/{}", directory, name));
    }
    if (const int flags = ::fcntl(socket->get(), F_GETFL); ::fcntl(socket->get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
        return fail_with_errno(errno, fmt::format("set up the connection to {}/{}", directory, name));
    }
    return socket;
}

base::Result<std::pair<FileDescriptor, FileDescriptor>> create_socket_pair() {
    if (auto claim = base::claim(base::Resource::descriptors, 2, "make a pair of sockets"); !claim) {
        return base::fail(std::move(claim));
    }
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        return fail_with_errno(errno, "make a pair of sockets");
    }
    return std::pair(FileDescriptor(ends[0]), FileDescriptor(ends[1]));
}

base::Result<PeerCredentials> credentials_of(const FileDescriptor& socket) {
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return fail_with_errno(errno, "ask the kernel who is at the other end of a socket");
    }
    return PeerCredentials{static_cast<int>(credentials.pid), static_cast<unsigned>(credentials.uid)};
}

void shut_down(const FileDescriptor& socket) { ::shutdown(socket.get(), SHUT_RDWR); }

bool has_ended(const FileDescriptor& socket) {
    pollfd polled{socket.get(), POLLRDHUP, 0};
    return ::poll(&polled, 1, 0) > 0;
}

base::Result<FileDescriptor> accept_from(const FileDescriptor& listener) {
    return open_descriptor("accept a connection",
                           [&] { return ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); });
}

base::Result<std::size_t> send_some(const FileDescriptor& socket, std::span<const std::byte> bytes,
                                    std::span<const int> descriptors) {
    if (descriptors.size() > max_descriptors_per_message) {
        return base::fail(ErrorCode::invalid_argument, "{} descriptors in one message, {} are allowed",
                          descriptors.size(), max_descriptors_per_message);
    }
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * max_descriptors_per_message)> control{};
    iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    ssize_t sent = 0;
    do {
        sent = ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) {
        return static_cast<std::size_t>(sent);
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return std::size_t{0};
    }
    if (errno == EPIPE || errno == ECONNRESET) {
        return base::fail(ErrorCode::peer_lost, "the peer closed its end of the connection");
    }
    return fail_with_errno(errno, "send a message");
}

base::Result<Received> receive_some(const FileDescriptor& socket, std::span<std::byte> buffer) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * max_descriptors_per_message)> control{};
    iovec part{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t count = 0;
    do {
        count = ::recvmsg(socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (count < 0 && errno == EINTR);

    Received received;
    if (count < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return received;
        }
        received.open = false;  // ECONNRESET and its like: for us the peer is gone
        return received;
    }
    received.bytes = static_cast<std::size_t>(count);
    received.open = count > 0;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t descriptors = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < descriptors; ++i) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            received.descriptors.emplace_back(descriptor);
        }
    }
    if ((message.msg_flags & MSG_CTRUNC) != 0) {
        return base::fail(ErrorCode::limit_reached,
                          "a peer passed more file descriptors than this process may hold; raise `ulimit -n`");
    }
    return received;
}

}  // namespace staithe::os
