#include "store/remote/remote_source.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "array/strided_copy.hpp"
#include "os/shared_memory.hpp"
#include "store/remote/block_server.hpp"
#include "support/noise.hpp"
#include "support/stream_sockets.hpp"
#include "support/watchdog.hpp"

namespace staithe::store::remote {
namespace {

/// A source over a server that is there.
class RemoteSourceOfAPoolTest : public ::testing::Test {
  protected:
    static constexpr std::int64_t rows = 2048;
    static constexpr std::int64_t columns = 1024;

    RemoteSourceOfAPoolTest() {
        auto file = os::create_memory_file("pool").value();
        EXPECT_EQ(::pwrite(file.get(), stored_.data(), stored_.size(), 0), static_cast<ssize_t>(stored_.size()));
        auto stores = std::make_shared<Stores>();
        stores->emplace(0, std::make_shared<transport::MappedPool>(std::move(file)));
        stores_ = stores;
    }
    std::unique_ptr<RemoteSource> source(int connections, bool are_scarce = false) {
        return std::make_unique<RemoteSource>(
            std::vector<Owner>{{"melt on a",
                                {0},
                                [this, are_scarce](const base::Deadline&) -> base::Result<Connected> {
                                    ++connected_;
                                    const auto ends = testing::connected_by_tcp();
                                    server_->serve(os::FileDescriptor(ends.second), stores_);
                                    Connected connection(os::FileDescriptor(ends.first));
                                    connection.needed = needed_;
                                    connection.is_scarce = are_scarce;
                                    return connection;
                                }}},
            RemoteOptions{base::Seconds(20), connections});
    }
    /// Of one connection at first, of which each is slow: the ninth and later ones more so.
    std::unique_ptr<RemoteSource> slow_source() {
        return std::make_unique<RemoteSource>(
            std::vector<Owner>{{"melt on a",
                                {0},
                                [this](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                                    const auto ends = testing::connected_by_tcp();
                                    const std::uint64_t bytes_a_second = traffic_.size() < 8 ? 40'000'000 : 4'000'000;
                                    ::setsockopt(ends.second, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_a_second,
                                                 sizeof(bytes_a_second));
                                    traffic_.push_back(std::make_shared<Traffic>());
                                    server_->serve(os::FileDescriptor(ends.second), stores_, nullptr, traffic_.back());
                                    return os::FileDescriptor(ends.first);
                                }}},
            RemoteOptions{.timeout = base::Seconds(20), .most_connections = 16});
    }
    [[nodiscard]] std::vector<std::int64_t> bytes_of_each() const {
        std::vector<std::int64_t> bytes;
        for (const auto& traffic : traffic_) {
            bytes.push_back(traffic->figures().bytes);
        }
        return bytes;
    }
    void fetch_all(RemoteSource& source) {
        const BlockDescription whole = block(0, rows);
        const BlockRef ref{.bytes = whole.data_bytes()};
        const Piece piece{0, &whole, {{{0, 0}, {rows, columns}}, Selection::all(whole.shape)}};
        std::vector<std::byte> got(stored_.size());
        const auto to = MutableArrayView::row_major(got.data(), Dtype::f64, whole.shape);
        ASSERT_TRUE(source.fetch(std::span(&ref, 1), std::span(&piece, 1), to));
        EXPECT_EQ(got, stored_);
    }
    static BlockDescription block(std::int64_t first_row, std::int64_t count) {
        return {.variable = "x",
                .dtype = Dtype::f64,
                .shape = {rows, columns},
                .box = {{first_row, 0}, {count, columns}},
                .unit = {},
                .attributes = {}};
    }

    int connected_ = 0;
    const std::shared_ptr<int> needed_ = std::make_shared<int>();  // by each connection
    std::vector<std::shared_ptr<Traffic>> traffic_;                // of each connection of a slow source
    std::vector<std::byte> stored_ = testing::noise(8 * rows * columns);

  private:
    testing::Watchdog watchdog_;
    std::shared_ptr<const Stores> stores_;
    std::shared_ptr<BlockServer> server_ = BlockServer::start().value();
};

TEST_F(RemoteSourceOfAPoolTest, SharesALargeFetchAmongItsConnections) {
    const auto source = this->source(4);
    for (int repeat = 0; repeat < 3; ++repeat) {
        fetch_all(*source);
    }
    EXPECT_EQ(connected_, 4);
}

TEST_F(RemoteSourceOfAPoolTest, ClosesAConnectionThatOthersWaitForAfterEachFetch) {
    const auto source = this->source(4, true);
    for (int repeat = 1; repeat <= 3; ++repeat) {
        fetch_all(*source);
        EXPECT_EQ(connected_, repeat) << "and takes no second one beside it";
        EXPECT_EQ(needed_.use_count(), 1);
    }
}

TEST_F(RemoteSourceOfAPoolTest, KeepsTheFirstConnectionsWhenMoreWereNotWorthIt) {
    const auto source = slow_source();
    for (int step = 0; step < 4; ++step) {  // over 1, 8, 16 and once more 16
        fetch_all(*source);
    }
    const auto before = bytes_of_each();
    ASSERT_EQ(before.size(), 16U);
    fetch_all(*source);
    const auto after = bytes_of_each();
    ASSERT_EQ(after.size(), 16U);
    for (std::size_t i = 0; i < 16; ++i) {
        // Not 0: the server counts the last of them a little after they have come.
        EXPECT_EQ(after[i] - before[i] > 1 << 20, i < 8) << "connection " << i;
    }
}

TEST_F(RemoteSourceOfAPoolTest, TurnsWhatLiesInFortranOrderRound) {
    for (const int connections : {1, 3}) {
        const auto source = this->source(connections);
        for (const Extents& shape :
             {Extents{rows, columns}, Extents{64, 16, 2048}, Extents{2048, 3, 300}, Extents{4096, 2, 2, 128}}) {
            BlockDescription whole = block(0, rows);
            whole.column_major = true;
            whole.shape = whole.box.count = shape;
            whole.box.offset = Extents::filled(shape.size(), 0);
            const BlockRef ref{.bytes = whole.data_bytes()};
            const Piece piece{0, &whole, {whole.box, Selection::all(shape)}};
            std::vector<std::byte> got(static_cast<std::size_t>(whole.data_bytes()));
            std::vector<std::byte> turned(got.size());
            const auto to = MutableArrayView::row_major(got.data(), Dtype::f64, shape);
            ASSERT_TRUE(source->fetch(std::span(&ref, 1), std::span(&piece, 1), to));
            array::copy(MutableArrayView::row_major(turned.data(), Dtype::f64, shape), whole.view(stored_.data()));
            EXPECT_EQ(got, turned) << to_string(shape);
        }
    }
}

TEST_F(RemoteSourceOfAPoolTest, TakesThousandsOfSmallPieces) {
    const auto source = this->source(1);
    std::vector<BlockDescription> blocks;
    std::vector<BlockRef> refs;
    std::vector<Piece> pieces;
    for (std::int64_t row = 0; row < rows; ++row) {
        blocks.push_back(block(row, 1));
        refs.push_back({.offset = 8 * columns * row, .bytes = 8 * columns});
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        pieces.push_back({i, &blocks[i], {{{row, 0}, {1, 7}}, {Slice{0, 1, 1}, Slice{3, 2, 7}}}});
    }
    std::vector<std::uint64_t> got(static_cast<std::size_t>(rows * 7));
    const MutableArrayView to{got.data(), Dtype::f64, {rows, 7}, {56, 8}};
    ASSERT_TRUE(source->fetch(refs, pieces, to));
    const auto* const values = reinterpret_cast<const std::uint64_t*>(stored_.data());
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < 7; ++i) {
            ASSERT_EQ(got[static_cast<std::size_t>(row * 7 + i)], values[row * columns + 3 + 2 * i]);
        }
    }
}

}  // namespace
}  // namespace staithe::store::remote
