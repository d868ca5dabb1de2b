#include "store/remote/block_server.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/shared_memory.hpp"
#include "support/noise.hpp"
#include "support/resource_limit.hpp"
#include "support/stream_sockets.hpp"
#include "support/watchdog.hpp"
#include "transport/connection_room.hpp"
#include "unit/store/remote/raw_connection.hpp"
#include "unit/store/remote/some_runs.hpp"

namespace staithe::store::remote {
namespace {

constexpr std::int64_t pool_bytes = 32 << 20;

/// A server of store 3 and, as if it lay on a disk, of the same as store 4; and whoever connects.
class RemoteBlockServerTest : public ::testing::Test {
  protected:
    RemoteBlockServerTest() {
        auto file = os::create_memory_file("pool").value();
        EXPECT_EQ(::ftruncate(file.get(), pool_bytes), 0);
        EXPECT_EQ(::pwrite(file.get(), stored_.data(), stored_.size(), 0), pool_bytes);
        auto stores = std::make_shared<Stores>();
        stores->emplace(4, std::make_shared<transport::PoolFile>(file.duplicate().value()));
        stores->emplace(3, std::make_shared<transport::MappedPool>(std::move(file)));
        stores_ = stores;
    }

    RawConnection connect(const std::shared_ptr<const BlockServer::Client>& client = nullptr) {
        const auto ends = testing::connected_by_tcp();
        server_->serve(os::FileDescriptor(ends.second), stores_, client);
        return RawConnection(os::FileDescriptor(ends.first));
    }
    static std::vector<std::byte> request(const std::vector<Wanted>& wanted) {
        return encode_requests(wanted, 1).bytes;
    }
    /// Of the whole pool as one block.
    [[nodiscard]] static Wanted of_all(const Runs& wanted) { return {whole_pool, wanted}; }
    [[nodiscard]] std::vector<std::byte> expected(const Runs& wanted) {
        std::vector<std::byte> bytes;
        std::array<std::span<std::byte>, 16> parts;
        while (static_cast<std::int64_t>(bytes.size()) < wanted.bytes()) {
            const Laid laid =
                lay_out(wanted, stored_.data(), static_cast<std::int64_t>(bytes.size()), wanted.bytes(), parts);
            for (const auto& part : std::span(parts).first(laid.parts)) {
                bytes.insert(bytes.end(), part.begin(), part.end());
            }
        }
        return bytes;
    }
    void expect_service(RawConnection& client) {
        client.send(request({of_all(runs(1000, 100, {}))}));
        const auto reply = client.receive_object<ReplyHeader>();
        ASSERT_EQ(reply.status, Status::given);
        ASSERT_EQ(client.receive(100), expected(runs(1000, 100, {})));
    }

    static constexpr BlockRef whole_pool{.store = 3, .offset = 0, .bytes = pool_bytes};
    std::vector<std::byte> stored_ = testing::noise(pool_bytes);
    std::shared_ptr<BlockServer> server_ = BlockServer::start().value();

  private:
    testing::Watchdog watchdog_;
    std::shared_ptr<const Stores> stores_;
};

TEST_F(RemoteBlockServerTest, GivesRunsOfAnyLengthPackedInTheOrderThatTheyWereAskedIn) {
    const std::vector<Runs> wanted{
        runs(0, pool_bytes, {}),
        runs(5, 1, {}),
        runs(3, 1, {{3000, 7000}, {70, 100}}),
        runs(0, 8, {{2000, 4096}, {2, 1000}, {3, 16}}),
        runs(1, 17, {{1 << 20, 31}}),
        runs(64, 4095, {{2000, 5000}}),
        runs(64, 4096, {{2000, 5000}}),
        runs(0, 100'000, {{10, 200'001}}),
        runs(0, 2, {{2, 2048}, {2, 1024}, {2, 512}, {2, 256}, {2, 128}, {2, 64}, {2, 32}, {2, 16}})};
    auto client = connect();
    std::vector<Wanted> pieces;
    for (const Runs& each : wanted) {
        ASSERT_TRUE(fit(each, pool_bytes));
        pieces.push_back(of_all(each));
    }
    client.send(request(pieces));
    for (std::uint32_t i = 0; i < wanted.size(); ++i) {
        const auto reply = client.receive_object<ReplyHeader>();
        ASSERT_EQ(reply.magic, ReplyHeader::known_magic);
        ASSERT_EQ(reply.status, Status::given) << i;
        ASSERT_EQ(reply.id, 1U);
        ASSERT_EQ(reply.piece, i);
        ASSERT_EQ(reply.bytes, wanted[i].bytes());
        ASSERT_EQ(client.receive(static_cast<std::size_t>(reply.bytes)), expected(wanted[i])) << i;
    }
}

TEST_F(RemoteBlockServerTest, WhatCannotBeReducedIsRefusedAndAllElseIsGiven) {
    const auto asked = [](Dtype dtype, Reduced reduced, std::int64_t count) {
        const Wanted wanted = of_all({0, size_of(dtype), {{count, size_of(dtype)}}});
        const Offer offer{.variable = "T", .dtype = dtype, .reduced = reduced};
        return encode_requests(std::span(&wanted, 1), 1, &offer).bytes;
    };
    const reducing::Recipe sum;
    auto client = connect();
    for (const auto& [request, why] :
         {std::pair(asked(Dtype::c64, {{.kind = reducing::Kind::min}, 1}, 100), "no order"),
          std::pair(asked(Dtype::u8, {sum, 1}, (16 << 20) + 1), "more than are reduced at once"),
          std::pair(asked(Dtype::u8, {sum, 0}, 16 << 20), "more than are sent at once"),
          std::pair(asked(Dtype::u8, {{reducing::Kind::histogram, 65536, 0, 1}, 0}, 1000),
                    "more than are sent at once"),
          std::pair(asked(Dtype::u8, {sum, 2}, 100), "cannot be reduced along 1")}) {
        client.send(request);
        const auto reply = client.receive_object<ReplyHeader>();
        ASSERT_EQ(reply.status, Status::refused);
        const auto text = client.receive(static_cast<std::size_t>(reply.bytes));
        EXPECT_NE(std::string(reinterpret_cast<const char*>(text.data()), text.size()).find(why), std::string::npos)
            << std::string(reinterpret_cast<const char*>(text.data()), text.size());
    }
    expect_service(client);
}

TEST_F(RemoteBlockServerTest, ReducesWhatLiesInMemoryAndOnADisk) {
    const Offer offer{.variable = "T", .dtype = Dtype::u8, .reduced = Reduced{{.kind = reducing::Kind::sum}, 1}};
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        expected += static_cast<std::uint64_t>(stored_[7 + 3 * i]);
    }
    auto client = connect();
    for (const std::uint32_t store : {3U, 4U}) {
        Wanted wanted = of_all({7, 1, {{1000, 3}}});
        wanted.ref.store = store;
        client.send(encode_requests(std::span(&wanted, 1), 1, &offer).bytes);
        const auto reply = client.receive_object<ReplyHeader>();
        ASSERT_EQ(reply.status, Status::coded);
        ASSERT_EQ(reply.bytes, 8);
        ASSERT_EQ(client.receive_object<std::uint64_t>(), expected);
    }
    const Offer of_odd{.variable = "T", .dtype = Dtype::u32, .reduced = Reduced{{.kind = reducing::Kind::max}, 1}};
    const Wanted odd = of_all({3, 4, {{1000, 4}}});
    std::vector<std::uint32_t> numbers(1000);
    std::memcpy(numbers.data(), stored_.data() + 3, 4000);
    client.send(encode_requests(std::span(&odd, 1), 1, &of_odd).bytes);
    ASSERT_EQ(client.receive_object<ReplyHeader>().bytes, 4);
    ASSERT_EQ(client.receive_object<std::uint32_t>(), *std::ranges::max_element(numbers))
        << "though they lie where no u32 does";
    const Offer of_large{
        .variable = "T", .dtype = Dtype::c256, .reduced = Reduced{{.kind = reducing::Kind::sum}, 0xff}};
    const Wanted eight =
        of_all({0, 32, {{2, 8192}, {2, 4096}, {2, 2048}, {2, 1024}, {2, 512}, {2, 256}, {2, 128}, {2, 32}}});
    client.send(encode_requests(std::span(&eight, 1), 1, &of_large).bytes);
    ASSERT_EQ(client.receive_object<ReplyHeader>().bytes, 32) << "of as many dimensions as there may be";
}

TEST_F(RemoteBlockServerTest, WhatWasReadOfAFileStaysUntilItWasSent) {
    // What comes before it fills all the room for headers, so that its own must wait for the next turn.
    constexpr std::int64_t room = 256 << 10;
    std::vector<Wanted> pieces(256, of_all(runs(7, room / 256 - sizeof(ReplyHeader), {})));
    const Runs last = runs(1 << 20, 4 << 20, {});
    pieces.push_back({{.store = 4, .offset = 0, .bytes = pool_bytes}, last});
    auto client = connect();
    client.send(request(pieces));
    for (const Wanted& piece : pieces) {
        const auto reply = client.receive_object<ReplyHeader>();
        ASSERT_EQ(reply.status, Status::given);
        ASSERT_EQ(client.receive(static_cast<std::size_t>(reply.bytes)), expected(piece.runs)) << reply.piece;
    }
}

TEST_F(RemoteBlockServerTest, ReadsOfAFileOnlyWhatItIsAboutToSend) {
    const auto most_memory = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss << 10;
    };
    const auto before = most_memory();
    const Runs both_ends = runs(0, 1, {{2, pool_bytes - 1}});
    const std::vector<Wanted> pieces(64, {{.store = 4, .offset = 0, .bytes = pool_bytes}, both_ends});
    auto client = connect();
    client.send(request(pieces));
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        ASSERT_EQ(client.receive_object<ReplyHeader>().status, Status::given);
        ASSERT_EQ(client.receive(2), expected(both_ends));
    }
    EXPECT_LT(most_memory() - before, 8 * pool_bytes);
}

TEST_F(RemoteBlockServerTest, ALoopOfOneMayHaveAStrideAsLongAsTheBlock) {
    auto client = connect();
    for (const std::uint32_t store : {3U, 4U}) {
        client.send(request({{{.store = store, .offset = 0, .bytes = 64}, runs(0, 8, {{1, 64}})}}));
        const auto reply = client.receive_object<ReplyHeader>();
        ASSERT_EQ(reply.status, Status::given);
        EXPECT_EQ(client.receive(8), expected(runs(0, 8, {})));
    }
}

TEST_F(RemoteBlockServerTest, RefusesWhatIsNotThereAndGoesOn) {
    auto client = connect();
    constexpr std::int64_t huge = INT64_MAX;
    const auto block = [](std::uint32_t store, std::int64_t offset, std::int64_t bytes) {
        return Wanted{{.store = store, .offset = offset, .bytes = bytes}, runs(0, 1, {})};
    };
    for (const Wanted& wrong :
         {block(0, 0, 100),
          block(5, 0, 100),
          block(4, -1, 100),
          block(4, pool_bytes, 1),
          block(4, huge, huge),
          block(4, 100, -1),
          block(4, 100, INT64_MIN),
          block(3, -1, 100),
          block(3, pool_bytes, 1),
          block(3, 0, pool_bytes + 1),
          block(3, huge, huge),
          block(3, 0, huge),
          block(3, 100, -1),
          block(3, INT64_MIN, 8),
          block(3, 0, 0),
          of_all(runs(pool_bytes, 1, {})),
          of_all(runs(-1, 2, {})),
          of_all(runs(0, huge, {})),
          of_all(runs(huge, 1, {})),
          of_all(runs(0, 1, {{huge, 1}})),
          of_all(runs(0, 1, {{huge, huge}})),
          of_all(runs(0, 1, {{huge, 0}})),
          of_all(runs(0, 2, {{huge, 1}})),
          of_all(runs(100, 1, {{2, -50}})),
          of_all(runs(0, 3, {{2, 2048}, {2, 1024}, {2, 512}, {2, 256}, {2, 128}, {2, 64}, {2, 32}, {2, 16}}))}) {
        client.send(request({wrong}));
        const auto reply = client.receive_object<ReplyHeader>();
        EXPECT_EQ(reply.status, Status::refused) << wrong.ref.offset << ' ' << wrong.ref.bytes;
        EXPECT_FALSE(client.receive_text(reply).empty());
    }
    expect_service(client);
}

TEST_F(RemoteBlockServerTest, ShutsOutWhoSendsWhatIsNoRequest) {
    auto other = connect();
    std::mt19937 random(1);
    const auto whole = request({of_all(runs(0, 8, {{4, 16}}))});
    for (int repeat = 0; repeat < 200; ++repeat) {
        auto client = connect();
        std::vector<std::byte> bytes = repeat % 2 == 0 ? std::vector<std::byte>(200) : whole;
        if (repeat % 2 == 0) {
            std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
        } else {
            bytes[repeat / 2 % 4] ^= std::byte{1};  // of the magic
        }
        client.send(bytes);
        EXPECT_TRUE(client.is_at_end());
    }
    expect_service(other);
}

TEST_F(RemoteBlockServerTest, OutlivesConnectionsThatAreCutAnywhere) {
    auto other = connect();
    const auto whole = request({of_all(runs(0, 8, {{4, 16}})), of_all(runs(0, 1 << 20, {}))});
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        connect().send(std::span(whole).first(length));
    }
    for (std::size_t taken = 0; taken < 300'000; taken += 29'989) {
        auto client = connect();
        client.send(whole);
        client.receive(taken);
    }
    expect_service(other);
}

TEST_F(RemoteBlockServerTest, WhoReadsNothingStallsNobodyAndIsNotReadFromForEver) {
    auto slow = connect();
    auto fast = connect();
    const auto endless = request(std::vector<Wanted>(1000, of_all(runs(0, pool_bytes, {}))));
    std::size_t sent = 0;
    std::thread asking([&] {
        for (int i = 0; i < 1000; ++i) {
            sent += slow.send(endless);
        }
    });
    for (int repeat = 0; repeat < 20; ++repeat) {
        fast.send(request({of_all(runs(0, pool_bytes / 2, {})), of_all(runs(0, 8, {{100'000, 16}}))}));
        auto reply = fast.receive_object<ReplyHeader>();
        ASSERT_EQ(fast.receive(static_cast<std::size_t>(reply.bytes)).size(), std::size_t{pool_bytes / 2});
        reply = fast.receive_object<ReplyHeader>();
        ASSERT_EQ(fast.receive(static_cast<std::size_t>(reply.bytes)).size(), 800'000U);
    }
    server_.reset();  // the connections end, and with them the sending
    asking.join();
    EXPECT_LT(sent, 1000 * endless.size()) << "what was asked ahead is bounded";
}

TEST_F(RemoteBlockServerTest, ServesManyAtOnce) {
    const Runs wanted = runs(0, 24, {{10'000, 100}});
    const auto right = expected(wanted);
    std::vector<RawConnection> clients;
    for (int i = 0; i < 64; ++i) {
        clients.push_back(connect());
    }
    for (int repeat = 0; repeat < 5; ++repeat) {
        for (auto& client : clients) {
            client.send(request({of_all(wanted), of_all(runs(7, 100'000, {}))}));
        }
        for (auto& client : clients) {
            auto reply = client.receive_object<ReplyHeader>();
            ASSERT_EQ(client.receive(static_cast<std::size_t>(reply.bytes)), right);
            reply = client.receive_object<ReplyHeader>();
            ASSERT_EQ(client.receive(static_cast<std::size_t>(reply.bytes)), expected(runs(7, 100'000, {})));
        }
    }
}

TEST_F(RemoteBlockServerTest, EndsConnectionsOfAClientWithIt) {
    auto client = server_->new_client();
    auto its = connect(client);
    auto another = connect();
    expect_service(its);
    client.reset();
    EXPECT_TRUE(its.is_at_end());
    expect_service(another);
}

TEST_F(RemoteBlockServerTest, EndsConnectionsThatNobodyUsesWhereTheyAreScarce) {
    auto idle = connect();
    auto slow = connect();
    const Runs wanted = runs(0, pool_bytes, {});
    slow.send(request({of_all(wanted)}));
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    expect_service(idle);
    const testing::ResourceLimit limit(RLIMIT_NOFILE, 128);
    std::vector<os::FileDescriptor> others;
    while (!transport::are_connections_scarce()) {
        others.push_back(os::spare_descriptor());
    }
    EXPECT_TRUE(idle.is_at_end());
    slow.receive_object<ReplyHeader>();
    EXPECT_EQ(slow.receive(pool_bytes), expected(wanted)) << "it was used";
}

TEST_F(RemoteBlockServerTest, EndsItsConnectionsWithIt) {
    auto client = connect();
    expect_service(client);
    server_.reset();
    EXPECT_TRUE(client.is_at_end());
}

}  // namespace
}  // namespace staithe::store::remote
