// Blocks in another process: a child that answers over a pair of sockets.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <gtest/gtest.h>

#include <staithe/transform.hpp>

#include "conformance/bytes_in_a_map.hpp"
#include "store/decoding_source.hpp"
#include "store/piped/block_server.hpp"
#include "store/piped/piped_source.hpp"
#include "support/child_process.hpp"

namespace staithe::testing {

class BlocksOverAPipe {
  public:
    store::BlockRef keep(std::uint32_t store, std::span<const std::byte> bytes) {
        served_.reset();
        return kept_->keep(store, bytes);
    }
    /// Of all that was kept before: a process that is forked now, and ends with what it is asked through.
    std::shared_ptr<store::BlockSource> source() {
        if (served_ == nullptr) {
            served_ = std::make_shared<Served>(kept_);
        }
        return {served_, &served_->source};
    }

  private:
    struct Served {
        explicit Served(const std::shared_ptr<BytesInAMap>& kept) : Served(kept, connected()) {}
        Served(const std::shared_ptr<BytesInAMap>& kept, std::pair<int, int> ends)
            : child([&] {
                  ::close(ends.first);
                  const os::FileDescriptor socket(ends.second);
                  const auto find = [&](const store::BlockRef& ref) { return kept->stored(ref); };
                  return store::piped::serve_blocks(socket, find, base::Seconds(20)) ? 0 : 1;
              }),
              source(os::FileDescriptor(ends.first), base::Seconds(20)) {
            ::close(ends.second);
        }
        /// Not by os::create_socket_pair: a child has no use of descriptors that are its parent's.
        static std::pair<int, int> connected() {
            int ends[2] = {-1, -1};
            EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
            return {ends[0], ends[1]};
        }

        ChildProcess child;
        store::piped::PipedSource source;  // goes first: the child ends
    };

    std::shared_ptr<BytesInAMap> kept_ = std::make_shared<BytesInAMap>();
    std::shared_ptr<Served> served_;
};

/// The class that the suites ask for, of such blocks as they are.
struct Piped {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& /*block*/,
                         std::span<const std::byte> elements) {
        return blocks.keep(store, elements);
    }
    std::shared_ptr<store::BlockSource> source() { return blocks.source(); }
    static constexpr bool shows = false;

    BlocksOverAPipe blocks;
};

/// The same, encoded there and decoded here.
struct EncodedAndPiped {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& block,
                         std::span<const std::byte> elements) {
        store::BlockRef ref = blocks.keep(store, codecs::encode(block.view(elements.data())));
        ref.encoding = store::Encoding::payload;
        return ref;
    }
    std::shared_ptr<store::BlockSource> source() { return std::make_shared<store::DecodingSource>(blocks.source()); }
    static constexpr bool shows = false;

    BlocksOverAPipe blocks;
};

}  // namespace staithe::testing
