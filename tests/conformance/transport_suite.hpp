// What every transport must do: move bulk data from the process that owns it to a process that wants it, and messages
// both ways, whatever is underneath.
//
// A new transport shows that it conforms with a class of its own (see test_unix_sockets.cpp):
//
//     struct MyTransport {
//         class Owner {                       // serves what it holds until it is destroyed
//             explicit Owner(const std::string& directory);
//             std::string address() const;    // for the other process
//             Place store(std::span<const std::byte> data);
//         };
//         class Visitor {
//             Visitor(const std::string& directory, const std::string& address);
//             base::Result<std::vector<std::byte>> fetch(std::int64_t offset, std::int64_t bytes);
//             base::Result<Attributes> ask(const Attributes& request, const base::Deadline& deadline);
//         };
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, Transport, MyTransport);
//
// The owner answers a request by its own fields; {"fail": code} by that failure, {"silence": true} never, and {"die":
// true} by dying.
#pragma once

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <staithe/value.hpp>

#include <gtest/gtest.h>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "support/child_process.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"

namespace staithe::testing {

/// Where the owner keeps some data.
struct Place {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};

using Bytes = std::vector<std::byte>;

/// Bytes that differ for every seed.
inline Bytes pattern(std::size_t size, unsigned seed) {
    Bytes data(size);
    for (std::size_t i = 0; i < size; ++i) {
        data[i] = static_cast<std::byte>((i * 2654435761U >> 7) + seed * 97);
    }
    return data;
}

inline base::Deadline soon() { return base::Deadline(base::Seconds(20)); }

/// The owner lives in a child process: nothing but the transport is shared with it.
template <class T>
class Transport : public ::testing::Test {
  protected:
    static constexpr std::array<std::size_t, 6> sizes{1, 63, 4096, 70000, 1 << 20, 3'000'001};

    /// What the owner says before the test goes on: its address, and where it put the data.
    struct Introduction {
        std::array<char, 128> address{};
        std::array<Place, sizes.size()> places{};
    };

    Transport() {
        std::array<int, 2> pipe{};
        EXPECT_EQ(::pipe(pipe.data()), 0);
        owner_ = std::make_unique<ChildProcess>([&] {
            typename T::Owner owner(directory_.path());
            Introduction introduction;
            std::strncpy(introduction.address.data(), owner.address().c_str(), introduction.address.size() - 1);
            for (unsigned i = 0; i < sizes.size(); ++i) {
                introduction.places[i] = owner.store(pattern(sizes[i], i));
            }
            EXPECT_EQ(::write(pipe[1], &introduction, sizeof(introduction)), ssize_t{sizeof(introduction)});
            ended_.await();
            return 0;
        });
        EXPECT_EQ(::read(pipe[0], &introduction_, sizeof(introduction_)), ssize_t{sizeof(introduction_)});
        ::close(pipe[0]);
        ::close(pipe[1]);
    }

    [[nodiscard]] std::unique_ptr<typename T::Visitor> visit() const {
        return std::make_unique<typename T::Visitor>(directory_.path(), introduction_.address.data());
    }
    [[nodiscard]] const Place& place(std::size_t index) const { return introduction_.places[index]; }
    void kill_owner() { owner_->kill(); }
    [[nodiscard]] int end_owner() {
        ended_.give();
        return owner_->wait();
    }

  private:
    Watchdog watchdog_;
    TemporaryDirectory directory_;
    Signal ended_;
    std::unique_ptr<ChildProcess> owner_;
    Introduction introduction_;
};

TYPED_TEST_SUITE_P(Transport);

TYPED_TEST_P(Transport, FetchesWhatTheOwnerStored) {
    const auto visitor = this->visit();
    for (const std::size_t i : {5U, 0U, 3U, 1U, 4U, 2U, 5U}) {
        const auto data = visitor->fetch(this->place(i).offset, this->place(i).bytes);
        ASSERT_TRUE(data) << data.error().message;
        EXPECT_EQ(*data, pattern(this->sizes[i], i));
    }
    EXPECT_EQ(this->end_owner(), 0);
}

TYPED_TEST_P(Transport, FetchesPartsOfIt) {
    const auto visitor = this->visit();
    const Bytes whole = pattern(this->sizes[4], 4);
    for (const std::int64_t first : {0, 1, 4095, 500'000}) {
        const auto data = visitor->fetch(this->place(4).offset + first, 1000);
        ASSERT_TRUE(data);
        EXPECT_TRUE(std::equal(data->begin(), data->end(), whole.begin() + first));
    }
}

TYPED_TEST_P(Transport, RefusesWhatTheOwnerDoesNotHold) {
    const auto visitor = this->visit();
    const std::int64_t far = std::int64_t{1} << 50;
    for (const auto& [offset, bytes] :
         {std::pair<std::int64_t, std::int64_t>{far, 1}, {-1, 1}, {0, -1}, {0, far}, {INT64_MAX, INT64_MAX}}) {
        const auto data = visitor->fetch(offset, bytes);
        ASSERT_FALSE(data) << offset << " + " << bytes;
        EXPECT_EQ(data.error().code, ErrorCode::protocol);
    }
    EXPECT_TRUE(visitor->fetch(this->place(0).offset, this->place(0).bytes)) << "and goes on";
}

TYPED_TEST_P(Transport, RequestsAreAnswered) {
    const auto visitor = this->visit();
    for (const std::size_t size : {0U, 10U, 100'000U, 2'000'000U}) {
        const Attributes request{{"text", std::string(size, 'x')}, {"list", List{1, 2.5, nullptr, true}}};
        const auto answer = visitor->ask(request, soon());
        ASSERT_TRUE(answer) << answer.error().message;
        EXPECT_EQ(*answer, request);
    }
}

TYPED_TEST_P(Transport, FailuresOfTheOwnerReachTheVisitor) {
    const auto visitor = this->visit();
    for (int code = 0; code <= static_cast<int>(ErrorCode::system); ++code) {
        const auto answer = visitor->ask({{"fail", code}}, soon());
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, static_cast<ErrorCode>(code));
    }
}

TYPED_TEST_P(Transport, SilenceEndsAtTheDeadline) {
    const auto visitor = this->visit();
    EXPECT_EQ(visitor->ask({{"silence", true}}, base::Deadline(base::Seconds(0.05))).error().code, ErrorCode::timeout);
    EXPECT_TRUE(visitor->ask({{"text", "still there"}}, soon()));
}

TYPED_TEST_P(Transport, SeveralVisitorsAndThreadsAreServed) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            const auto visitor = this->visit();
            for (int turn = 0; turn < 25; ++turn) {
                EXPECT_EQ(visitor->fetch(this->place(i).offset, this->place(i).bytes).value(),
                          pattern(this->sizes[i], i));
                EXPECT_EQ(visitor->ask({{"turn", turn}}, soon()).value(), (Attributes{{"turn", turn}}));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TYPED_TEST_P(Transport, DeathOfTheOwnerEndsRequestsAtOnce) {
    const auto visitor = this->visit();
    EXPECT_EQ(visitor->ask({{"die", true}}, soon()).error().code, ErrorCode::peer_lost);
    EXPECT_EQ(visitor->ask({{"text", "anyone?"}}, soon()).error().code, ErrorCode::peer_lost);
}

TYPED_TEST_P(Transport, WhatWasFetchedOutlivesTheOwner) {
    const auto visitor = this->visit();
    const auto data = visitor->fetch(this->place(3).offset, this->place(3).bytes);
    this->kill_owner();
    EXPECT_EQ(data.value(), pattern(this->sizes[3], 3));
}

REGISTER_TYPED_TEST_SUITE_P(Transport, FetchesWhatTheOwnerStored, FetchesPartsOfIt, RefusesWhatTheOwnerDoesNotHold,
                            RequestsAreAnswered, FailuresOfTheOwnerReachTheVisitor, SilenceEndsAtTheDeadline,
                            SeveralVisitorsAndThreadsAreServed, DeathOfTheOwnerEndsRequestsAtOnce,
                            WhatWasFetchedOutlivesTheOwner);

}  // namespace staithe::testing
