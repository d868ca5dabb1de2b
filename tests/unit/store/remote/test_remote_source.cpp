#include "store/remote/remote_source.hpp"

#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

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
    /// Elements 10 to 14 of the block of that store, behind what was ordered before.
    std::unique_ptr<Order> order(std::string& destination, std::size_t store = 0) {
        const auto to = MutableArrayView::row_major(destination.data(), Dtype::u8, {5});
        return source_->order(std::span(&ordered_.at(store), 1), std::span(&ordered_piece_, 1), to);
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

    const std::array<BlockRef, 2> ordered_{BlockRef{.store = 0, .offset = 4096, .bytes = 100},
                                           BlockRef{.store = 1, .offset = 4096, .bytes = 100}};

  private:
    const Piece ordered_piece_{0, &block_, {{{0}, {5}}, {Slice{10, 1, 5}}}};
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

TEST_F(RemoteSourceTest, IsNotWokenForEachFewBytesOfMany) {
    constexpr std::int64_t size = 1 << 20;
    constexpr std::int64_t few = 4 << 10;
    const auto ends = testing::connected_by_tcp();
    RawConnection owner{os::FileDescriptor(ends.second)};
    RemoteSource source({{"melt on a", {0}, [&](const base::Deadline&) { return os::FileDescriptor(ends.first); }}},
                        {base::Seconds(20), 1});
    std::thread owners([&] {
        owner.receive(sizeof(RequestHeader) + sizeof(WantedHeader));
        owner.send_object(ReplyHeader{.id = 1, .bytes = size});
        for (std::int64_t sent = 0; sent < size; sent += few) {
            owner.send(std::vector<std::byte>(few, std::byte{7}));
            std::this_thread::sleep_for(std::chrono::microseconds(200));  // the other thread may fall asleep
        }
    });
    const BlockDescription block{
        .variable = "pressure", .shape = {size}, .box = {{0}, {size}}, .unit = {}, .attributes = {}};
    const Piece whole{0, &block, {{{0}, {size}}, {Slice{0, 1, size}}}};
    const BlockRef ref{.bytes = size};
    std::vector<std::uint8_t> got(size);
    rusage before{};
    rusage after{};
    ::getrusage(RUSAGE_THREAD, &before);
    const auto fetched = source.fetch(std::span(&ref, 1), std::span(&whole, 1), view_of(got));
    ::getrusage(RUSAGE_THREAD, &after);
    owners.join();
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(got, std::vector<std::uint8_t>(size, 7));
    EXPECT_LT(after.ru_nvcsw - before.ru_nvcsw, size / few / 4) << "times that it slept";
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

TEST_F(RemoteSourceTest, TheLossOfAnOwnerIsNoneOfThoseWhoWantNothingOfIt) {
    const auto connect = [this](const base::Deadline&) -> base::Result<os::FileDescriptor> {
        const auto ends = testing::connected_by_unix_sockets();
        ends_[0].emplace_back(os::FileDescriptor(ends.second));
        ++connections_[0];
        return os::FileDescriptor(ends.first);
    };
    source_ = std::make_unique<RemoteSource>(
        std::vector<Owner>{{"melt on a", {0}, connect},
                           {"melt on b", {1}, connect, [] { return std::optional<std::string>("is lost"); }}},
        RemoteOptions{base::Seconds(20), 1});
    std::thread answering([&] {
        owner().receive(sizeof(RequestHeader) + sizeof(WantedHeader));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // while it is waited for
        owner().send(answer(given(), "there"));
    });
    const auto fetched = fetch();
    answering.join();
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(got(), "there");
}

TEST_F(RemoteSourceTest, WhatIsOrderedIsAskedForBehindWhatStillComes) {
    open({base::Seconds(20), 1});
    std::array<std::string, 3> got{"-----", "-----", "-----"};
    auto first = order(got[0]);
    auto second = order(got[1]);
    std::unique_ptr<Order> third;
    ASSERT_TRUE(first && second);
    std::thread answering([&] {
        RawConnection& end = owner();
        for (std::uint64_t id = 1; id <= 2; ++id) {
            end.receive(sizeof(RequestHeader) + sizeof(WantedHeader));
        }
        end.send(answer(given(1), "first"));
        end.receive(sizeof(RequestHeader) + sizeof(WantedHeader));  // of the third, while the second is awaited
        end.send(answer(given(2), "later"));
        end.send(answer(given(3), "after"));
    });
    EXPECT_TRUE(first->await([] {}));
    EXPECT_TRUE(second->await([&] {
        if (third == nullptr) {
            third = order(got[2]);
        }
    }));
    ASSERT_TRUE(third);
    EXPECT_TRUE(third->await([] {}));
    answering.join();
    EXPECT_EQ(got, (std::array<std::string, 3>{"first", "later", "after"}));
    EXPECT_EQ(connections_[0], 1);
}

TEST_F(RemoteSourceTest, NothingIsWrittenForAnOrderThatIsGone) {
    open({base::Seconds(20), 1});
    std::array<std::string, 2> got{"-----", "-----"};
    auto first = order(got[0]);
    auto second = order(got[1]);
    first.reset();
    EXPECT_EQ(second->await([] {}).error().code, ErrorCode::peer_lost) << "its connection went with the first";
    second.reset();
    owner().receive(2 * (sizeof(RequestHeader) + sizeof(WantedHeader)));
    EXPECT_EQ(owner().send(answer(given(), "first")), 0U) << "the connection is closed";
    EXPECT_EQ(got, (std::array<std::string, 2>{"-----", "-----"}));

    auto third = order(got[0]);
    ASSERT_TRUE(third);
    owner(0, 2).receive(sizeof(RequestHeader) + sizeof(WantedHeader));
    owner(0, 2).send(answer(given(), "third"));
    EXPECT_TRUE(third->await([] {}));
    EXPECT_EQ(got[0], "third");
}

TEST_F(RemoteSourceTest, WhoFetchesUsesTheConnectionsThatNoOrderNeedsAnyMore) {
    open({base::Seconds(20), 1});
    std::string got = "-----";
    auto first = order(got);
    std::thread answering([&] {
        for (std::uint64_t id = 1; id <= 2; ++id) {
            owner().receive(sizeof(RequestHeader) + sizeof(WantedHeader));
            owner().send(answer(given(id), "fresh"));
        }
    });
    EXPECT_TRUE(first->await([] {}));
    EXPECT_TRUE(fetch());
    answering.join();
    EXPECT_EQ(connections_[0], 1);
}

TEST_F(RemoteSourceTest, WhoFetchesBesideAnOrderKeepsItsConnectionForTheNextTime) {
    open({base::Seconds(20), 1});
    for (std::uint64_t round = 1; round <= 3; ++round) {
        std::string ordered = "-----";
        auto order_of = order(ordered);
        ASSERT_TRUE(order_of);
        std::thread answering([&] {
            owner(0, 2);
            for (RawConnection& end : ends_[0]) {
                end.receive(sizeof(RequestHeader) + sizeof(WantedHeader));
                end.send(answer(given(round), "fresh"));
            }
        });
        EXPECT_TRUE(fetch());
        EXPECT_TRUE(order_of->await([] {}));
        answering.join();
    }
    EXPECT_EQ(connections_[0], 2);
}

TEST_F(RemoteSourceTest, ARefusedOrderIsNoneOfLaterOnes) {
    open({base::Seconds(20), 1});
    std::array<std::string, 2> got{"-----", "-----"};
    auto refused = order(got[0]);
    owner().receive(sizeof(RequestHeader) + sizeof(WantedHeader));
    owner().send(answer({.status = Status::refused, .id = 1, .bytes = 7}, "it's so"));
    EXPECT_EQ(refused->await([] {}).error().code, ErrorCode::protocol);
    auto next = order(got[1]);
    ASSERT_TRUE(next);
    owner(0, 2).receive(sizeof(RequestHeader) + sizeof(WantedHeader));
    owner(0, 2).send(answer(given(), "fresh"));
    EXPECT_TRUE(next->await([] {}));
    EXPECT_EQ(got[1], "fresh");
}

TEST_F(RemoteSourceTest, ARefusalIsToldThoughMoreWasOrderedMeanwhile) {
    open({base::Seconds(20), 1});
    std::array<std::string, 3> got{"----------", "-----", "-----"};
    const std::array<Piece, 2> of_both{Piece{0, &block_, {{{0}, {5}}, {Slice{10, 1, 5}}}},
                                       Piece{1, &block_, {{{5}, {5}}, {Slice{10, 1, 5}}}}};
    auto first = source_->order(ordered_, of_both, MutableArrayView::row_major(got[0].data(), Dtype::u8, {10}));
    auto refused = order(got[1], 0);
    ASSERT_TRUE(first && refused);
    owner(0).receive(2 * (sizeof(RequestHeader) + sizeof(WantedHeader)));
    auto both = answer(given(1), "first");
    const auto refusal = answer({.status = Status::refused, .id = 2, .bytes = 7}, "it's so");
    both.insert(both.end(), refusal.begin(), refusal.end());
    owner(0).send(both);
    std::unique_ptr<Order> third;
    int turn = 0;
    static_cast<void>(first->await([&] {
        if (++turn == 2) {  // both have come of the first owner, and the other has said nothing
            third = order(got[2], 0);
            owner(1).send(answer(given(1), "other"));
        }
    }));
    EXPECT_FALSE(refused->await([] {}));
}

TEST_F(RemoteSourceTest, ConnectionsThatAnOrderHasStillToLookAtAreNobodyElses) {
    open({base::Seconds(20), 1});
    std::array<std::string, 2> got{"-----", "-----"};
    auto first = order(got[0]);
    auto second = order(got[1]);
    owner().receive(2 * (sizeof(RequestHeader) + sizeof(WantedHeader)));
    auto both = answer(given(1), "first");
    const auto later = answer(given(2), "later");
    both.insert(both.end(), later.begin(), later.end());
    owner().send(both);
    EXPECT_TRUE(first->await([] {}));
    std::thread answering([&] {
        RawConnection& end = owner(0, 2);
        end.receive(sizeof(RequestHeader) + sizeof(WantedHeader));
        end.send(answer(given(), "fresh"));
    });
    EXPECT_TRUE(fetch());
    answering.join();
    EXPECT_TRUE(second->await([] {}));
    EXPECT_EQ(got, (std::array<std::string, 2>{"first", "later"}));
}

TEST_F(RemoteSourceTest, WhatIsOrderedMakesNoConnectionWhileOthersCome) {
    std::array<std::string, 2> got{"-----", "-----"};
    const auto first = order(got[0], 0);
    EXPECT_TRUE(first);
    EXPECT_FALSE(order(got[1], 1));
    EXPECT_EQ(connections_[1], 0);
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

}  // namespace
}  // namespace staithe::store::remote
