#include "store/piped/looped.hpp"

#include <optional>
#include <thread>
#include <utility>

#include "base/config.hpp"
#include "os/fork.hpp"
#include "os/socket.hpp"
#include "store/piped/block_server.hpp"
#include "store/piped/piped_source.hpp"

namespace staithe::store::piped {
namespace {

constexpr base::Seconds patience{20};

struct Loop {
    Loop(std::shared_ptr<transport::MappedPool> pool, os::FileDescriptor one, os::FileDescriptor other)
        : socket(std::move(other)),
          source(std::in_place, std::move(one), patience),
          server([this, pool = std::move(pool)] {
              const auto find = [&](const BlockRef& ref) -> base::Result<std::span<const std::byte>> {
                  return pool->bytes(ref.offset, ref.bytes);
              };
              static_cast<void>(serve_blocks(socket, find, patience));
          }) {}
    ~Loop() {
        source.reset();
        server.join();
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    const os::FileDescriptor socket;
    std::optional<PipedSource> source;
    std::thread server;
};

}  // namespace

bool is_asked_for_by_tests() { return base::environment("STAITHE_TEST_BLOCKS") == "piped"; }

base::Result<std::shared_ptr<BlockSource>> looped(std::shared_ptr<transport::MappedPool> pool) {
    auto ends = os::create_socket_pair();
    if (!ends) {
        return base::fail(std::move(ends));
    }
    const auto loop = os::kept_at_home(new Loop(std::move(pool), std::move(ends->first), std::move(ends->second)));
    return std::shared_ptr<BlockSource>(loop, &*loop->source);
}

}  // namespace staithe::store::piped
