// Blocks that are read by RDMA: what all sources do, and what happens when it goes wrong.
#ifdef STAITHE_HAS_FABRIC_OWNER
#include <algorithm>
#include <csignal>
#include <thread>
#include <vector>

#include "conformance/block_source_suite.hpp"
#include "conformance/blocks_by_rdma.hpp"
#include "support/sanitizers.hpp"

// Providers leave threads behind, and ThreadSanitizer lets the children of later tests start none then.
#ifndef STAITHE_THREAD_SANITIZER

namespace staithe::testing {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(ByRdmaOverTcp, BlockSources, ReadByRdma<ProviderNet>);
INSTANTIATE_TYPED_TEST_SUITE_P(ByRdmaInSharedMemory, BlockSources, ReadByRdma<ProviderShm>);

/// A block of that many bytes, each of value 3.
template <class Kept>
struct Threes {
    explicit Threes(Kept& kept, std::int64_t bytes) : got(static_cast<std::size_t>(bytes), 1) {
        block.variable = "pressure";
        block.shape = block.box.count = {bytes};
        block.box.offset = {0};
        const std::vector<std::uint8_t> values(got.size(), 3);
        ref = kept.keep(0, block, std::as_bytes(std::span(values)));
    }
    base::Result<> fetch(store::BlockSource& source) {
        const store::Piece piece{0, &block, {{{0}, block.shape}, Selection::all(block.shape)}};
        return source.fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got));
    }
    [[nodiscard]] bool all(std::uint8_t value) const { return std::ranges::count(got, value) == std::ssize(got); }

    store::BlockDescription block;
    store::BlockRef ref;
    std::vector<std::uint8_t> got;
};

template <class Named>
class ReadsByRdma : public ::testing::Test {
  protected:
    ReadByRdma<Named> kept;

  private:
    Watchdog watchdog_;
};
using Providers = ::testing::Types<ProviderNet, ProviderShm>;
TYPED_TEST_SUITE(ReadsByRdma, Providers);

TYPED_TEST(ReadsByRdma, TakeThatWayAndSaySo) {
    Threes block(this->kept, 1 << 20);
    const auto source = this->kept.source();
    const int found = this->kept.process().found();
    ASSERT_TRUE(block.fetch(*source));
    EXPECT_TRUE(block.all(3));
    EXPECT_EQ(this->kept.process().found(), found + 1);
    EXPECT_EQ(this->kept.way().find("TCP"), std::string::npos) << this->kept.way();
}

TYPED_TEST(ReadsByRdma, FollowAPoolThatGrows) {
    Threes small(this->kept, 1 << 20);
    const auto source = this->kept.source();
    const int found = this->kept.process().found();
    ASSERT_TRUE(small.fetch(*source));
    Threes large(this->kept, 96 << 20);  // more than the pool had until now
    ASSERT_TRUE(large.fetch(*source));
    EXPECT_TRUE(large.all(3));
    EXPECT_EQ(this->kept.process().found(), found + 2);
}

TYPED_TEST(ReadsByRdma, OfADeadOwnerGoOnByTheOtherWay) {
    Threes block(this->kept, 1 << 20);
    const auto source = this->kept.source();
    ASSERT_TRUE(block.fetch(*source));
    this->kept.process().signal(SIGKILL);
    std::ranges::fill(block.got, std::uint8_t{1});
    const auto fetched = block.fetch(*source);  // the other way does not know that its owner is dead
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_TRUE(block.all(3));
}

TEST(ReadsByRdmaOverTcp, OfAStoppedOwnerTimeOutAndWriteNothingAfterwards) {
    const Watchdog watchdog;
    ReadByRdma<ProviderNet> kept;
    Threes block(kept, 64 << 20);
    const auto source = kept.source(base::Seconds(1));
    for (int turn = 0; turn < 5; ++turn) {
        ASSERT_TRUE(block.fetch(*source)) << "it has gone on";
        EXPECT_TRUE(block.all(3));
        kept.process().signal(SIGSTOP);
        const auto fetched = block.fetch(*source);
        ASSERT_FALSE(fetched);
        EXPECT_EQ(fetched.error().code, ErrorCode::timeout);
        EXPECT_NE(fetched.error().message.find("'pressure'"), std::string::npos) << fetched.error().message;
        std::ranges::fill(block.got, std::uint8_t{7});
        kept.process().signal(SIGCONT);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        EXPECT_TRUE(block.all(7));
    }
}

TEST(ReadsByRdmaOverTcp, EndSoonOnceTheyAreStopped) {
    const Watchdog watchdog;
    ReadByRdma<ProviderNet> kept;
    Threes block(kept, 64 << 20);
    const auto source = kept.source(base::Seconds(250));  // longer than the watchdog waits
    ASSERT_TRUE(block.fetch(*source));
    kept.process().signal(SIGSTOP);
    std::thread stopping([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        source->stop();
    });
    const auto fetched = block.fetch(*source);
    stopping.join();
    kept.process().signal(SIGCONT);
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, ErrorCode::timeout);
}

}  // namespace
}  // namespace staithe::testing
#endif

#endif
