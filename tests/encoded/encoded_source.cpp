// The blocks of streams by way of another process, which encodes each of them when it is asked for: for the tests of
// streams, by the setting STAITHE_TEST_BLOCKS=encoded.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "base/config.hpp"
#include "encoded/order.hpp"
#include "os/fork.hpp"
#include "os/socket.hpp"
#include "store/decoding_source.hpp"
#include "store/piped/piped_source.hpp"
#include "store/pool_source.hpp"
#include "support/beside.hpp"

namespace staithe::testing {
namespace {

/// Ends when its sockets are closed, and is waited for.
class Encoder {
  public:
    Encoder(const os::FileDescriptor& pool, const os::FileDescriptor& orders, const os::FileDescriptor& blocks) {
        std::array<std::string, 4> texts{beside("block_encoder")};
        std::array<char*, 5> arguments{texts[0].data()};
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        std::size_t next = 1;
        for (const os::FileDescriptor* file : {&pool, &orders, &blocks}) {
            // On itself: that one is not closed in the new program.
            ::posix_spawn_file_actions_adddup2(&actions, file->get(), file->get());
            texts.at(next) = std::to_string(file->get());
            arguments.at(next) = texts.at(next).data();
            ++next;
        }
        error_ = ::posix_spawn(&pid_, texts[0].c_str(), &actions, nullptr, arguments.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
    }
    ~Encoder() {
        while (error_ == 0 && ::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    [[nodiscard]] int error() const { return error_; }

  private:
    pid_t pid_ = -1;
    int error_ = 0;
};

class EncodedSource final : public store::BlockSource {
  public:
    using Sockets = std::pair<os::FileDescriptor, os::FileDescriptor>;

    EncodedSource(const os::FileDescriptor& pool, Sockets orders, Sockets blocks)
        : encoder_(pool, orders.second, blocks.second),
          orders_(std::move(orders.first)),
          decoding_(std::make_shared<store::piped::PipedSource>(std::move(blocks.first), encoder_patience)) {}

    [[nodiscard]] int error() const { return encoder_.error(); }

    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override {
        const std::lock_guard lock(mutex_);
        for (store::Piece piece : pieces) {
            const auto made = have_made(refs[piece.block], *piece.description);
            if (!made) {
                return base::fail(made);
            }
            piece.block = 0;
            if (auto fetched = decoding_.fetch(std::span(&*made, 1), std::span(&piece, 1), destination); !fetched) {
                return fetched;
            }
        }
        return {};
    }

  private:
    base::Result<store::BlockRef> have_made(const store::BlockRef& ref, const store::BlockDescription& block) {
        if (auto checked = check(ref, block, store::Encoding::raw); !checked) {
            return base::fail(std::move(checked));
        }
        const base::Deadline deadline(encoder_patience);
        const EncodingOrder order{ref, block.dtype, block.column_major, block.box.count};
        store::BlockRef made;
        const auto answered = store::piped::send(orders_, store::piped::bytes_of(order), deadline).and_then([&] {
            return store::piped::receive(orders_, store::piped::writable_bytes_of(made), deadline);
        });
        if (!answered) {
            return base::fail(answered);
        }
        if (made.bytes < 0) {
            return tl::unexpected(unusable(ref, block, "it is not there"));
        }
        return made;
    }

    Encoder encoder_;  // goes last: it ends with the sockets
    std::mutex mutex_;
    const os::FileDescriptor orders_;
    store::DecodingSource decoding_;
};

base::Result<std::shared_ptr<store::BlockSource>> open_encoded(os::FileDescriptor pool) {
    auto orders = os::create_socket_pair();
    auto blocks = os::create_socket_pair();
    if (!orders || !blocks) {
        return base::fail(std::move(orders ? blocks : orders));
    }
    const auto source = os::kept_at_home(new EncodedSource(pool, *std::move(orders), *std::move(blocks)));
    if (source->error() != 0) {
        return base::fail(ErrorCode::system, "cannot start {}: {}", beside("block_encoder"),
                          std::strerror(source->error()));
    }
    return source;
}

[[maybe_unused]] const bool asked_for = [] {
    const bool encoded = base::environment("STAITHE_TEST_BLOCKS") == "encoded";
    if (encoded) {
        store::open_pool_sources_by(open_encoded);
    }
    return encoded;
}();

}  // namespace
}  // namespace staithe::testing
