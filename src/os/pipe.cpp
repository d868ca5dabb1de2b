#include "os/pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace staithe::os {
namespace {

constexpr std::size_t bytes_of_a_pipe = 64 << 10;

/// A pipe knows no MSG_NOSIGNAL: while this lives, the thread gets no SIGPIPE.
class WithoutSigpipe {
  public:
    WithoutSigpipe() {
        ::sigemptyset(&sigpipe_);
        ::sigaddset(&sigpipe_, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
    }
    ~WithoutSigpipe() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

    /// Takes the one back that a write has caused; not where the program itself keeps them back, since it may be its.
    void take_back() const {
        if (::sigismember(&before_, SIGPIPE) == 0) {
            const timespec now{};
            static_cast<void>(::sigtimedwait(&sigpipe_, nullptr, &now));
        }
    }

  private:
    sigset_t sigpipe_{};
    sigset_t before_{};
};

}  // namespace

base::Result<Pipe> create_pipe() {
    if (auto claim = base::claim(base::Resource::descriptors, 2, "make a pipe"); !claim) {
        return base::fail(std::move(claim));
    }
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        return fail_with_errno(errno, "make a pipe");
    }
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

base::Result<FileDescriptor> reopen_write_end(const Pipe& pipe) {
    const std::string path = fmt::format("/proc/self/fd/{}", pipe.write_end.get());
    return open_descriptor("open a pipe for writing through " + path,
                           [&] { return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC); });
}

void poke(const FileDescriptor& write_end) {
    const WithoutSigpipe without_sigpipe;
    if (::write(write_end.get(), "", 1) < 0 && errno == EPIPE) {
        without_sigpipe.take_back();
    }
}

void empty_pipe(const FileDescriptor& read_end) {
    std::array<char, 4096> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the kernel
    for (std::size_t taken = 0; taken < bytes_of_a_pipe; taken += bytes.size()) {
        ssize_t count = 0;
        do {
            count = ::read(read_end.get(), bytes.data(), bytes.size());
        } while (count < 0 && errno == EINTR);
        if (count < static_cast<ssize_t>(bytes.size())) {
            return;
        }
    }
}

}  // namespace staithe::os
