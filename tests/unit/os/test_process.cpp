#include "os/process.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "support/child_process.hpp"

namespace staithe::os {
namespace {

using testing::ChildProcess;
using testing::Signal;
using testing::wait_for_death;

TEST(Process, KnowsItself) {
    EXPECT_EQ(process_id(), ::getpid());
    EXPECT_EQ(user_id(), ::geteuid());
    EXPECT_EQ(executable_name(), "unit_os");
    EXPECT_FALSE(host_name().empty());
    EXPECT_GE(online_cores(), 1);
    EXPECT_GT(wall_clock_seconds(), 1.7e9);
}

TEST(StartTime, StaysTheSameWhileTheProcessLives) {
    const auto start = start_time_of(::getpid());
    ASSERT_TRUE(start);
    EXPECT_GT(*start, 0U);
    EXPECT_EQ(start_time_of(::getpid()).value(), *start);
}

TEST(StartTime, OfAChildIsNotBeforeItsParents) {
    const Signal go;
    ChildProcess child([&] {
        go.await();
        return 0;
    });
    EXPECT_GE(start_time_of(child.pid()).value(), start_time_of(::getpid()).value());
    go.give();
}

TEST(StartTime, OfNoProcessIsZero) {
    EXPECT_EQ(start_time_of(0x7ffffff0).value(), 0U);
    EXPECT_EQ(start_time_of(-1).value(), 0U);
    ChildProcess child([] { return 0; });
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(start_time_of(child.pid()).value(), 0U) << "a zombie lives no more";
}

TEST(StartTime, IsZeroOnceOthersKnowThatTheProcessIsGone) {
    for (int round = 0; round < 300; ++round) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        ChildProcess child([] { return 0; });
        ::close(ends[1]);
        char byte = 0;
        ASSERT_EQ(::read(ends[0], &byte, 1), 0) << "the child's copy of the other end is closed";
        ASSERT_EQ(start_time_of(child.pid()).value(), 0U);
        ::close(ends[0]);
    }
}

TEST(IsStopped, TellsOfASignalThatStops) {
    ChildProcess child([] {
        wait_for_death();
        return 0;
    });
    EXPECT_FALSE(is_stopped(child.pid()));
    child.signal(SIGSTOP);
    int status = 0;
    ASSERT_EQ(::waitpid(child.pid(), &status, WUNTRACED), child.pid());
    EXPECT_TRUE(is_stopped(child.pid()));
    child.kill();
    EXPECT_FALSE(is_stopped(-1));
}

TEST(ThreadId, IsTheProcessesForItsMainThreadAlone) {
    EXPECT_EQ(thread_id(), process_id());
    int other = 0;
    std::thread([&] {
        other = thread_id();
        EXPECT_TRUE(is_thread_here(other));
    }).join();
    EXPECT_NE(other, thread_id());
    ChildProcess child([] { return thread_id() == process_id() ? 0 : 1; });
    EXPECT_EQ(child.wait(), 0);
}

TEST(ProcessorSeconds, GrowWithWork) {
    const double before = processor_seconds();
    while (processor_seconds() < before + 0.01) {
    }
    EXPECT_GE(processor_seconds(), before + 0.01);
}

TEST(StartTime, IsFoundBehindAnyProgramName) {
    const Signal renamed;
    const Signal go;
    ChildProcess child([&] {
        ::prctl(PR_SET_NAME, ") Z 1 (evil) ");
        renamed.give();
        go.await();
        return 0;
    });
    renamed.await();
    EXPECT_GE(start_time_of(child.pid()).value(), start_time_of(::getpid()).value());
    go.give();
}

TEST(Cores, AThreadIsKeptOffTheOneThatItIsKeptOff) {
    ASSERT_GE(usable_cores(), 1);
    if (usable_cores() == 1) {
        const int only = current_core();
        keep_off_core(thread_id(), only);
        EXPECT_EQ(current_core(), only) << "there is no other";
        return;
    }
    std::thread([] {
        for (int turn = 0; turn < 5; ++turn) {
            const int core = current_core();
            keep_off_core(thread_id(), core);
            EXPECT_NE(current_core(), core);
            EXPECT_GE(usable_cores(), 1);
        }
    }).join();
}

TEST(StartTime, WithoutADescriptorIsAnErrorAndNotADeadProcess) {
    ChildProcess child([] {
        rlimit limit{};
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
        limit.rlim_cur = 3;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
        const auto start = start_time_of(::getpid());
        EXPECT_FALSE(start);
        EXPECT_EQ(start.error().code, ErrorCode::limit_reached);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace staithe::os
