// A live writer, spoken to through its socket: what a process of the same user may send, and much more.
//
// Each input is one connection. The harness waits until the writer is through with it, and then asks that the stream
// still works for those who keep to the protocol.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>

#include <staithe/staithe.hpp>

#include "fuzz/bytes.hpp"
#include "os/socket.hpp"
#include "transport/endpoint.hpp"

using namespace staithe;

namespace {

class Victim {
  public:
    Victim() {
        ::setenv("STAITHE_RUN_DIR", directory_.c_str(), 1);
        ::setenv("STAITHE_TIMEOUT", "20", 1);
        ::setenv("STAITHE_LOG", "error", 1);
        out_ = std::make_unique<Writer>("s", WriterOptions{.queue_steps = 4, .readers = 0, .overflow = "drop-oldest"});
        in_ = std::make_unique<Reader>("s");
    }

    [[nodiscard]] os::FileDescriptor connect() const {
        return os::connect_to(directory_, transport::Endpoint::name_of_socket(::getpid()).value()).value();
    }

    void expect_service() {
        const std::array<double, 3> values{1.0, 2.0, static_cast<double>(steps_)};
        WriteStep writing = out_->begin_step();
        writing.put("x", std::span<const double>(values));
        writing.end();
        const auto step = in_->next();
        fuzz::require(step && step->index() == steps_++, "the reader gets every step");
        fuzz::require(step->variable("x").read<double>().back() == values.back(), "and what was written in it");
    }

  private:
    const std::string directory_ = fuzz::directory_of_its_own();
    std::unique_ptr<Writer> out_;
    std::unique_ptr<Reader> in_;
    std::int64_t steps_ = 0;
};

/// False if that takes longer than anything of the writer's may.
bool becomes_readable(const os::FileDescriptor& socket) {
    pollfd readable{socket.get(), POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&readable, 1, 20'000);
    } while (ready < 0 && errno == EINTR);  // the fuzzer's own timer interrupts
    return ready == 1;
}

/// Until the writer has taken in all that was sent, and has let go of the connection.
void await_end(const os::FileDescriptor& socket) {
    ::shutdown(socket.get(), SHUT_WR);
    std::array<std::byte, 1 << 16> buffer{};
    for (;;) {
        fuzz::require(becomes_readable(socket), "a connection that ended is let go of");
        const auto received = os::receive_some(socket, buffer);
        if (!received || !received->open) {
            return;
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static auto* const victim = new Victim;
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    {
        const os::FileDescriptor socket = victim->connect();
        while (!input.empty()) {
            const std::uint8_t kind = fuzz::take_byte(input);
            const fuzz::Bytes part = fuzz::take_part(input);
            const std::vector<int> descriptors(kind >> 5, STDERR_FILENO);
            const auto framed = fuzz::framed(part, kind >> 5);
            const fuzz::Bytes sent = kind % 2 == 0 ? part : fuzz::Bytes(framed);
            if (!sent.empty() && !os::send_some(socket, sent, descriptors)) {
                break;  // the writer has closed its end
            }
        }
        await_end(socket);
    }
    victim->expect_service();
    return 0;
}
