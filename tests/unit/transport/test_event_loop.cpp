#include "transport/event_loop.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/pipe.hpp"
#include "os/socket.hpp"
#include "support/watchdog.hpp"

namespace staithe::transport {
namespace {

class EventLoopTest : public ::testing::Test {
  protected:
    [[nodiscard]] EventLoop& loop() const { return *loop_; }
    static void await(const std::atomic<int>& count, int least) {
        while (count < least) {
            std::this_thread::yield();
        }
    }

  private:
    testing::Watchdog watchdog_;
    std::unique_ptr<EventLoop> loop_ = EventLoop::start().value();
};

TEST_F(EventLoopTest, CallsWheneverThereIsSomethingToRead) {
    auto pipe = os::create_pipe().value();
    const auto reading = pipe.read_end.duplicate().value();
    std::atomic<int> calls{0};
    const auto watch = loop()
                           .watch(std::move(pipe.read_end),
                                  [&] {
                                      os::empty_pipe(reading);
                                      return ++calls < 3;
                                  })
                           .value();
    for (int i = 1; i <= 3; ++i) {
        os::poke(pipe.write_end);
        await(calls, i);
    }
    os::poke(pipe.write_end);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(calls, 3) << "it wanted no more";
}

TEST_F(EventLoopTest, CallsOnceWhenReadable) {
    auto pipe = os::create_pipe().value();
    std::atomic<int> calls{0};
    const auto watch = loop().watch(std::move(pipe.read_end)).value();
    for (int i = 1; i <= 3; ++i) {
        watch->when_readable([&] { ++calls; });
        os::poke(pipe.write_end);  // nobody reads it, so the next time there is something at once
        await(calls, i);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(calls, 3);
}

TEST_F(EventLoopTest, OutlivesWhatItCallsThrows) {
    auto pipe = os::create_pipe().value();
    auto other = os::create_pipe().value();
    std::atomic<int> calls{0};
    const auto throwing = loop()
                              .watch(std::move(pipe.read_end),
                                     [&]() -> bool {
                                         ++calls;
                                         throw std::logic_error("on purpose");
                                     })
                              .value();
    os::poke(pipe.write_end);
    await(calls, 1);
    const auto watch = loop().watch(std::move(other.read_end)).value();
    watch->when_readable([&] { ++calls; });
    os::poke(other.write_end);
    await(calls, 2);
    EXPECT_EQ(calls, 2) << "who threw is not called again";
}

TEST_F(EventLoopTest, CallsNobodyWhileItIsToldNotTo) {
    auto pipe = os::create_pipe().value();
    const auto reading = pipe.read_end.duplicate().value();
    std::atomic<int> calls{0};
    const auto watch = loop()
                           .watch(std::move(pipe.read_end),
                                  [&] {
                                      os::empty_pipe(reading);
                                      ++calls;
                                      return true;
                                  })
                           .value();
    watch->pause();
    os::poke(pipe.write_end);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(calls, 0);
    watch->go_on();
    await(calls, 1);
    watch->go_on(true);
    await(calls, 2);
}

TEST_F(EventLoopTest, CallsAtTheTimesThatItIsTold) {
    std::atomic<int> once{0}, often{0}, never{0};
    const auto after = [](std::atomic<int>& count, std::optional<base::Seconds> again) {
        return [&count, again] {
            ++count;
            return again;
        };
    };
    const auto late = loop().call_after(base::Seconds(3600), after(never, {}));
    const auto first = loop().call_after(base::Seconds(0), after(once, {}));
    auto second = loop().call_after(base::Seconds(0.001), after(often, base::Seconds(0.001)));
    static_cast<void>(loop().call_after(base::Seconds(0.001), after(never, {})));
    await(often, 3);
    second.reset();
    EXPECT_EQ(once, 1);
    EXPECT_EQ(never, 0) << "one was not kept, the other one is late";
}

// A pipe that is read in the loop's thread alone, some messages a moment after the others.
TEST_F(EventLoopTest, MissesNothingWhileItLooksALittleLonger) {
    auto pipe = os::create_pipe().value();
    const auto reading = pipe.read_end.duplicate().value();
    std::atomic<int> calls{0};
    std::shared_ptr<Watch> watch;
    std::atomic<bool> is_there{false};
    watch = loop()
                .watch(std::move(pipe.read_end),
                       [&] {
                           while (!is_there) {
                           }
                           os::empty_pipe(reading);
                           watch->expect_more();
                           ++calls;
                           return true;
                       })
                .value();
    is_there = true;
    for (int i = 1; i <= 200; ++i) {
        os::poke(pipe.write_end);
        await(calls, i);
        if (i % 10 == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
}

// ThreadSanitizer looks at this one.
TEST_F(EventLoopTest, SeveralThreadsUseOneWatch) {
    auto sockets = os::create_socket_pair().value();
    const auto watch = loop().watch(std::move(sockets.first)).value();
    const os::BorrowedDescriptor own(watch->descriptor());
    std::atomic<int> calls{0};
    std::atomic<int> read{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 1; i <= 500; ++i) {
                watch->when_writable([&] { ++calls; });
                if (thread == 0) {
                    watch->when_readable([&] { ++read; });
                    std::array<std::byte, 1> byte{};
                    ASSERT_TRUE(os::send_some(sockets.second, byte, {}));
                    await(read, i);
                    ASSERT_TRUE(os::receive_some(own, byte));
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    await(calls, 3 * 500);
}

}  // namespace
}  // namespace staithe::transport
