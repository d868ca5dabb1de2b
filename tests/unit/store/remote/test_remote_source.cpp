#include "store/remote/remote_source.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "array/strided_copy.hpp"
#include "os/shared_memory.hpp"
#include "store/remote/block_server.hpp"
#include "support/child_process.hpp"
#include "support/noise.hpp"
#include "support/stream_sockets.hpp"
#include "support/watchdog.hpp"
#include "unit/store/remote/raw_connection.hpp"

namespace staithe::store::remote {
namespace {

std::span<const std::byte> bytes_of(const auto& object) { return std::as_bytes(std::span(&object, 1)); }

/// A source of two owners, of stores 0 and 1, whom the test plays itself.
class RemoteSourceTest : public ::testing::Test {
  protected:
    RemoteSourceTest() { open({base::Seconds(0.2), 1}); }
    void open(RemoteOptions options) {
        std::vector<Owner> owners;
        for (std::uint32_t number = 0; number < 2; ++number) {
            owners.push_back({number == 0 ? "melt on a" : "melt on b",
                              {number},
                              [this, number](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                                  const auto ends = testing::connected_by_unix_sockets();
                                  ends_[number].emplace_back(os::FileDescriptor(ends.second));
                                  ++connections_[number];
                                  return os::FileDescriptor(ends.first);
                              }});
        }
        source_ = std::make_unique<RemoteSource>(std::move(owners), options);
    }

    /// Elements 10 to 14 of a block of either store, or of both.
    base::Result<> fetch(const std::vector<std::uint32_t>& stores = {0}) {
        std::vector<BlockRef> refs;
        std::vector<Piece> pieces;
        for (const std::uint32_t store : stores) {
            const auto at = static_cast<std::int64_t>(5 * refs.size());
            pieces.push_back({refs.size(), &block_, {{{at}, {5}}, {Slice{10, 1, 5}}}});
            refs.push_back({.store = store, .offset = 4096, .bytes = 100});
        }
        got_.assign(5 * stores.size(), '-');
        return source_->fetch(refs, pieces, view_of(got_));
    }
    /// The other end of the last connection to it, once there were so many.
    RawConnection& owner(std::size_t number = 0, int connections = 1) {
        while (connections_.at(number) < connections) {
            std::this_thread::yield();
        }
        return ends_.at(number).back();
    }
    static ReplyHeader given(std::uint64_t id = 1) { return {.id = id, .bytes = 5}; }

    /// What the fetch says if the first owner answers it so, and hangs up, whenever it is connected to.
    base::Failure fetch_answered(std::span<const std::byte> answer) {
        std::deque<RawConnection> others;
        source_ = std::make_unique<RemoteSource>(
            std::vector<Owner>{{"melt on a",
                                {0},
                                [&](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                                    const auto ends = testing::connected_by_unix_sockets();
                                    others.emplace_back(os::FileDescriptor(ends.second));
                                    others.back().send(answer);
                                    others.back().end();
                                    return os::FileDescriptor(ends.first);
                                }}},
            RemoteOptions{base::Seconds(20), 1});
        const auto fetched = fetch();
        return fetched ? base::Failure{ErrorCode::system, ""} : fetched.error();
    }
    static std::vector<std::byte> answer(const ReplyHeader& header, const std::string& content) {
        const auto head = bytes_of(header);
        std::vector<std::byte> all(head.begin(), head.end());
        const auto body = std::as_bytes(std::span(content));
        all.insert(all.end(), body.begin(), body.end());
        return all;
    }
    [[nodiscard]] std::string got() const { return {got_.begin(), got_.end()}; }

    std::vector<std::uint8_t> got_;
    std::array<std::deque<RawConnection>, 2> ends_;  // the other ones, of each owner
    std::array<std::atomic<int>, 2> connections_{};
    BlockDescription block_{.variable = "pressure", .shape = {100}, .box = {{0}, {100}}, .unit = {}, .attributes = {}};
    std::unique_ptr<RemoteSource> source_;

  private:
    testing::Watchdog watchdog_;
};

TEST_F(RemoteSourceTest, AsksForNoMoreThanIsSelected) {
    EXPECT_EQ(fetch().error().code, ErrorCode::timeout);
    const auto header = owner().receive_object<RequestHeader>();
    EXPECT_EQ(header.pieces, 1U);
    const auto wanted = owner().receive_object<WantedHeader>();
    EXPECT_EQ(wanted.ref, (BlockRef{.offset = 4096, .bytes = 100}));
    EXPECT_EQ(wanted.first, 10);
    EXPECT_EQ(wanted.run, 5);
    EXPECT_EQ(wanted.loops, 0U);
}

TEST_F(RemoteSourceTest, AsksAllOwnersBeforeAnyHasAnswered) {
    open({base::Seconds(20), 1});
    std::thread owners([&] {
        for (std::size_t number : {1U, 0U}) {
            owner(number).receive(sizeof(RequestHeader) + sizeof(WantedHeader));
            owner(number).send(answer(given(), number == 1 ? "later" : "first"));
        }
    });
    std::vector<std::uint32_t> stores{0, 1};
    const auto fetched = fetch(stores);
    owners.join();
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(got(), "firstlater");
}

TEST_F(RemoteSourceTest, ASilentOwnerIsATimeoutThatNamesItAndTheBlock) {
    const auto late = fetch();
    EXPECT_EQ(late.error().code, ErrorCode::timeout);
    EXPECT_NE(late.error().message.find("melt on a"), std::string::npos) << late.error().message;
    EXPECT_NE(late.error().message.find("'pressure'"), std::string::npos) << late.error().message;
}

TEST_F(RemoteSourceTest, NothingIsWrittenAfterATimeoutNorByWhoComesLate) {
    EXPECT_EQ(fetch({0, 1}).error().code, ErrorCode::timeout);
    const std::string before = got();
    for (std::size_t number : {0U, 1U}) {
        owner(number).receive(sizeof(RequestHeader) + sizeof(WantedHeader));
        EXPECT_EQ(owner(number).send(answer(given(), "later")), 0U) << "the connection is closed";
    }
    EXPECT_EQ(got(), before);
}

TEST_F(RemoteSourceTest, ConnectsAgainOnceAfterALossAndElseNot) {
    open({base::Seconds(20), 1});
    std::thread losing([&] {
        owner().close();
        owner(0, 2).close();
    });
    EXPECT_EQ(fetch().error().code, ErrorCode::peer_lost);
    losing.join();
    EXPECT_EQ(connections_[0], 2);
    const auto answer_fetches = [&](int connections, std::uint64_t fetches, const std::string& content) {
        std::thread answering([&] {
            for (std::uint64_t id = 1; id <= fetches; ++id) {
                RawConnection& end = owner(0, connections);
                end.receive(sizeof(RequestHeader) + sizeof(WantedHeader));
                end.send(answer(given(id), content));
            }
        });
        for (std::uint64_t i = 0; i < fetches; ++i) {
            EXPECT_TRUE(fetch());
            EXPECT_EQ(got(), content);
        }
        answering.join();
        EXPECT_EQ(connections_[0], connections);
    };
    answer_fetches(3, 3, "fresh");
    owner().close();  // while nothing is asked
    answer_fetches(4, 1, "again");
}

TEST_F(RemoteSourceTest, AConnectionThatIsLostWhileItIsAskedIsMadeAnew) {
    open({base::Seconds(20), 1});
    std::thread answering([&] {
        owner().receive(sizeof(RequestHeader));
        owner().close();
        owner(0, 2).receive(sizeof(RequestHeader) + sizeof(WantedHeader));
        owner(0, 2).send(answer(given(), "fresh"));
    });
    EXPECT_TRUE(fetch());
    answering.join();
    EXPECT_EQ(got(), "fresh");
}

TEST_F(RemoteSourceTest, AnOwnerThatIsKnownToBeLostIsNotAskedAgain) {
    RemoteSource source({{"melt on a",
                          {0},
                          [this](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                              ++connections_[0];
                              const auto ends = testing::connected_by_unix_sockets();
                              const os::FileDescriptor closed(ends.second);
                              return os::FileDescriptor(ends.first);
                          },
                          [] { return std::optional<std::string>("is lost: its host is down"); }}},
                        {});
    const BlockRef ref{.bytes = 100};
    const Piece piece{0, &block_, {{{0}, {5}}, {Slice{10, 1, 5}}}};
    got_.resize(5);
    const auto lost = source.fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got_));
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, ErrorCode::peer_lost);
    EXPECT_NE(lost.error().message.find("melt on a, is lost: its host is down"), std::string::npos)
        << lost.error().message;
    EXPECT_EQ(connections_[0], 1);
}

TEST_F(RemoteSourceTest, ARefusalNamesBlockAndOwner) {
    const auto refused = fetch_answered(answer({.status = Status::refused, .id = 1, .bytes = 6}, "it's so"));
    EXPECT_EQ(refused.code, ErrorCode::protocol) << refused.message;
    const auto exact = fetch_answered(answer({.status = Status::refused, .id = 1, .bytes = 7}, "it's so"));
    EXPECT_NE(exact.message.find("'pressure'"), std::string::npos) << exact.message;
    EXPECT_NE(exact.message.find("melt on a"), std::string::npos) << exact.message;
    EXPECT_NE(exact.message.find("it's so"), std::string::npos) << exact.message;
}

TEST_F(RemoteSourceTest, AnswersThatCannotBeAreRefused) {
    EXPECT_EQ(fetch_answered(answer(given(), "fresh")).message, "");
    const auto with = [&](auto change) {
        ReplyHeader header = given();
        change(header);
        return fetch_answered(answer(header, "fresh fresh fresh")).code;
    };
    EXPECT_EQ(with([](auto&) {}), ErrorCode::protocol) << "more than was asked for";
    EXPECT_EQ(with([](auto& reply) { reply.magic = 0; }), ErrorCode::protocol);
    EXPECT_EQ(with([](auto& reply) { reply.version = 2; }), ErrorCode::protocol);
    EXPECT_EQ(with([](auto& reply) { reply.status = static_cast<Status>(7); }), ErrorCode::protocol);
    EXPECT_EQ(with([](auto& reply) { reply.id = 2; }), ErrorCode::protocol);
    EXPECT_EQ(with([](auto& reply) { reply.piece = 1; }), ErrorCode::protocol);
    for (const std::int64_t bytes : {std::int64_t{4}, std::int64_t{6}, std::int64_t{-5}, INT64_MAX, INT64_MIN}) {
        EXPECT_EQ(with([&](auto& reply) { reply.bytes = bytes; }), ErrorCode::protocol) << bytes;
        if (bytes < 0 || bytes > 4096) {
            EXPECT_EQ(with([&](auto& reply) {
                          reply.status = Status::refused;
                          reply.bytes = bytes;
                      }),
                      ErrorCode::protocol)
                << bytes;
        }
    }
    const auto noise = testing::noise(1000);
    EXPECT_EQ(fetch_answered(noise).code, ErrorCode::protocol);
}

TEST_F(RemoteSourceTest, AnAnswerThatIsCutAnywhereIsALoss) {
    const auto whole = answer(given(), "fresh");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto lost = fetch_answered(std::span(whole).first(length));
        EXPECT_EQ(lost.code, ErrorCode::peer_lost) << length << lost.message;
        EXPECT_NE(lost.message.find("melt on a"), std::string::npos) << lost.message;
    }
}

TEST_F(RemoteSourceTest, AStoreThatNobodyHoldsIsRefusedByName) {
    const auto refused = fetch({2});
    EXPECT_EQ(refused.error().code, ErrorCode::protocol);
    EXPECT_NE(refused.error().message.find("'pressure'"), std::string::npos) << refused.error().message;
}

TEST_F(RemoteSourceTest, AFailureToConnectIsPassedOn) {
    RemoteSource unreachable({{"melt on a",
                               {0},
                               [](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                                   return base::fail(ErrorCode::not_found, "nobody listens");
                               }}},
                             {});
    const BlockRef ref{.bytes = 100};
    const Piece piece{0, &block_, {{{0}, {5}}, {Slice{10, 1, 5}}}};
    got_.resize(5);
    EXPECT_EQ(unreachable.fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got_)).error().code,
              ErrorCode::not_found);
}

TEST_F(RemoteSourceTest, AForkedChildIsToldToOpenTheStreamItself) {
    testing::ChildProcess child([&] {
        const auto fetched = fetch();
        return !fetched && fetched.error().code == ErrorCode::peer_lost ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0);
}

/// Over a server that is there.
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
    /// Of one connection at first, of which each is slow: the fifth and later ones more so.
    std::unique_ptr<RemoteSource> slow_source() {
        return std::make_unique<RemoteSource>(
            std::vector<Owner>{{"melt on a",
                                {0},
                                [this](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                                    const auto ends = testing::connected_by_tcp();
                                    const std::uint64_t bytes_a_second = traffic_.size() < 4 ? 40'000'000 : 10'000'000;
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
    std::vector<std::shared_ptr<Traffic>> traffic_;  // of each connection of a slow source
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

TEST_F(RemoteSourceOfAPoolTest, KeepsTheFirstConnectionsWhenMoreWereNotWorthIt) {
    const auto source = slow_source();
    for (int step = 0; step < 4; ++step) {  // over 1, 4, 8 and once more 8
        fetch_all(*source);
    }
    const auto before = bytes_of_each();
    ASSERT_EQ(before.size(), 8U);
    fetch_all(*source);
    const auto after = bytes_of_each();
    ASSERT_EQ(after.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) {
        // Not 0: the server counts the last of them a little after they have come.
        EXPECT_EQ(after[i] - before[i] > 2 << 20, i < 4) << "connection " << i;
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
