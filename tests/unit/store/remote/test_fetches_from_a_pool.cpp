#include "store/remote/remote_source.hpp"

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
    std::unique_ptr<RemoteSource> source(int connections) {
        return std::make_unique<RemoteSource>(
            std::vector<Owner>{{"melt on a",
                                {0},
                                [this](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                                    ++connected_;
                                    const auto ends = testing::connected_by_tcp();
                                    server_->serve(os::FileDescriptor(ends.second), stores_);
                                    return os::FileDescriptor(ends.first);
                                }}},
            RemoteOptions{base::Seconds(20), connections});
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
    std::vector<std::byte> stored_ = testing::noise(8 * rows * columns);

  private:
    testing::Watchdog watchdog_;
    std::shared_ptr<const Stores> stores_;
    std::shared_ptr<BlockServer> server_ = BlockServer::start().value();
};

TEST_F(RemoteSourceOfAPoolTest, SharesALargeFetchAmongItsConnections) {
    const auto source = this->source(4);
    const BlockDescription whole = block(0, rows);
    const BlockRef ref{.bytes = whole.data_bytes()};
    const Piece piece{0, &whole, {{{0, 0}, {rows, columns}}, Selection::all(whole.shape)}};
    for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<std::byte> got(stored_.size());
        const auto to = MutableArrayView::row_major(got.data(), Dtype::f64, whole.shape);
        ASSERT_TRUE(source->fetch(std::span(&ref, 1), std::span(&piece, 1), to));
        EXPECT_EQ(got, stored_);
    }
    EXPECT_EQ(connected_, 4);
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
