#include "os/pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

#include "os/event.hpp"
#include "support/child_process.hpp"

namespace staithe::os {
namespace {

bool is_readable(const Pipe& pipe) {
    char byte = 0;
    return ::read(pipe.read_end.get(), &byte, 1) == 1;
}

TEST(Pipe, TellsOfNewsUntilItIsEmptied) {
    const auto pipe = create_pipe().value();
    EXPECT_FALSE(is_readable(pipe));
    poke(pipe.write_end);
    poke(pipe.write_end);
    const auto other = create_pipe().value();
    EXPECT_EQ(poll({{-1}, {other.read_end.get()}, {pipe.read_end.get()}}, base::Deadline(base::Seconds(20))), 4U);
    EXPECT_EQ(poll({{other.read_end.get()}}, base::Deadline(base::Seconds(0.001))), 0U);
    EXPECT_EQ(poll({{other.write_end.get(), true}}, base::Deadline(base::Seconds(20))), 1U);
    EXPECT_TRUE(is_readable(pipe));
    empty_pipe(pipe.read_end);
    EXPECT_FALSE(is_readable(pipe));
}

TEST(Pipe, AFullOneIsAsGood) {
    const auto pipe = create_pipe().value();
    for (int i = 0; i < 100'000; ++i) {
        poke(pipe.write_end);
    }
    empty_pipe(pipe.read_end);
    EXPECT_FALSE(is_readable(pipe));
}

TEST(Pipe, ReopenedItHasFlagsOfItsOwn) {
    const auto pipe = create_pipe().value();
    const auto again = reopen_write_end(pipe).value();
    EXPECT_EQ(::fcntl(pipe.write_end.get(), F_SETFL, 0), 0);
    EXPECT_NE(::fcntl(again.get(), F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(again.get(), F_GETFD) & FD_CLOEXEC, 0);
    poke(again);
    EXPECT_TRUE(is_readable(pipe));
}

TEST(Pipe, NobodyDiesOfOneThatNobodyReads) {
    testing::ChildProcess child([] {
        std::signal(SIGPIPE, SIG_DFL);
        auto pipe = create_pipe().value();
        pipe.read_end = FileDescriptor();
        poke(pipe.write_end);
        sigset_t waiting;
        ::sigpending(&waiting);
        EXPECT_EQ(::sigismember(&waiting, SIGPIPE), 0);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace staithe::os
