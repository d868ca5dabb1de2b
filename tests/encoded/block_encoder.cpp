// A process that encodes blocks: it reads them in a pool, by orders that come over one socket, and serves what it made
// of them over another. Its arguments are the descriptors that it was given: pool, socket of orders, socket of blocks.
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "encoded/order.hpp"
#include "store/piped/block_server.hpp"
#include "transform/coding.hpp"
#include "transport/pool_file.hpp"

namespace staithe::testing {
namespace {

/// The last block that was ordered.
class Made {
  public:
    store::BlockRef make(const EncodingOrder& order, const transport::PoolFile& pool) {
        const auto block = pool.copy_of(order.ref.offset, order.ref.bytes);
        store::BlockRef ref = order.ref;
        if (!block) {
            ref.bytes = -1;
            return ref;
        }
        store::BlockDescription description;
        description.dtype = order.dtype;
        description.column_major = order.column_major;
        description.shape = description.box.count = order.count;
        auto payload = transform::encode(description.view(block->data()), {});
        const std::lock_guard lock(mutex_);
        // Blocks of what no codec takes, such as none of any elements, go as they are.
        ref.encoding = payload ? store::Encoding::payload : store::Encoding::raw;
        bytes_ = payload ? *std::move(payload) : *block;
        ref.bytes = static_cast<std::int64_t>(bytes_.size());
        return ref;
    }
    /// A copy, which is good until the next one is asked for.
    base::Result<std::span<const std::byte>> serve() {
        const std::lock_guard lock(mutex_);
        served_ = bytes_;
        return served_;
    }

  private:
    std::mutex mutex_;
    std::vector<std::byte> bytes_;
    std::vector<std::byte> served_;
};

int encode_blocks(os::FileDescriptor pool_file, const os::FileDescriptor& orders, const os::FileDescriptor& blocks) {
    const transport::PoolFile pool(std::move(pool_file));
    Made made;
    std::thread serving([&] {
        const auto find = [&](const store::BlockRef& /*ref*/) { return made.serve(); };
        static_cast<void>(store::piped::serve_blocks(blocks, find, encoder_patience));
    });
    EncodingOrder order;
    while (store::piped::receive(orders, store::piped::writable_bytes_of(order),
                                 base::Deadline(base::Seconds(base::forever)))) {
        const store::BlockRef ref = made.make(order, pool);
        static_cast<void>(store::piped::send(orders, store::piped::bytes_of(ref), base::Deadline(encoder_patience)));
    }
    serving.join();
    return 0;
}

}  // namespace
}  // namespace staithe::testing

int main(int count, char** arguments) {
    using staithe::os::FileDescriptor;
    const auto argument = [&](int i) { return FileDescriptor(i < count ? std::atoi(arguments[i]) : -1); };
    return staithe::testing::encode_blocks(argument(1), argument(2), argument(3));
}
