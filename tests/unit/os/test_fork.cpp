#include "os/fork.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "os/file_descriptor.hpp"
#include "os/files.hpp"
#include "support/child_process.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"

namespace staithe::os {
namespace {

using testing::ChildProcess;
using testing::Signal;

class ForkTest : public ::testing::Test {
  protected:
    ForkTest() {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        ours_ = FileDescriptor(ends[0]);
        theirs_ = ends[1];  // not Staithe's: children keep it
    }
    ~ForkTest() override { ::close(theirs_); }

    static bool is_socket(int descriptor) {
        struct stat status{};
        return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
    }
    static bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }

    FileDescriptor ours_;
    int theirs_ = -1;

  private:
    testing::Watchdog watchdog_;
};

TEST_F(ForkTest, ChildHasItsParentsDescriptorsNoMoreButTheirNumbersStayTaken) {
    ChildProcess child([&] {
        EXPECT_TRUE(is_open(ours_.get()));
        EXPECT_FALSE(is_socket(ours_.get()));
        EXPECT_TRUE(is_socket(theirs_)) << "what is not Staithe's is left alone";
        EXPECT_NE(::fcntl(ours_.get(), F_GETFD) & FD_CLOEXEC, 0);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_TRUE(is_socket(ours_.get()));
}

TEST_F(ForkTest, ConnectionEndsWithTheParentThoughAChildLives) {
    const Signal done;
    ChildProcess child([&] {
        done.await();
        return 0;
    });
    ours_ = FileDescriptor();
    pollfd ended{theirs_, POLLIN | POLLRDHUP, 0};
    EXPECT_EQ(::poll(&ended, 1, 20'000), 1);
    char byte = 0;
    EXPECT_EQ(::read(theirs_, &byte, 1), 0);
    done.give();
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(ForkTest, DescriptorsThatWereReleasedAreTheCallersInChildrenToo) {
    const int released = ours_.release();
    ChildProcess child([&] {
        EXPECT_TRUE(is_socket(released));
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    ::close(released);
}

TEST_F(ForkTest, WorksWithoutADescriptorToSpare) {
    ChildProcess child([&] {
        const rlimit none_free{3, 3};
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none_free), 0);
        const pid_t grandchild = ::fork();
        if (grandchild == 0) {
            ::_exit(is_socket(ours_.get()) ? 1 : 0);
        }
        int status = -1;
        EXPECT_EQ(::waitpid(grandchild, &status, 0), grandchild);
        return status == 0 ? 0 : 1;  // of a status no more than 8 bits would arrive
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(ForkTest, LockOfADirectoryIsNotKeptByAChild) {
    const testing::TemporaryDirectory directory;
    const base::Deadline soon(base::Seconds(5));
    auto lock = lock_directory(directory.path(), soon);
    const Signal done;
    ChildProcess child([&] {
        done.await();
        return 0;
    });
    *lock = FileDescriptor();
    EXPECT_TRUE(lock_directory(directory.path(), soon));
    done.give();
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(ForkTest, HomeIsWhereAnObjectWasMade) {
    const Home home;
    EXPECT_TRUE(home.here());
    ChildProcess child([&] {
        EXPECT_FALSE(home.here());
        EXPECT_TRUE(Home().here());
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_TRUE(home.here());
}

struct Counted {
    explicit Counted(int& ends) : ends(&ends) {}
    ~Counted() { ++*ends; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    int* ends;
};

TEST_F(ForkTest, ObjectsEndAtHomeAlone) {
    int ends = 0;
    auto object = kept_at_home(new Counted(ends));
    ChildProcess child([&] {
        object.reset();
        EXPECT_EQ(ends, 0);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    object.reset();
    EXPECT_EQ(ends, 1);
}

TEST_F(ForkTest, EachProcessHasItsOwnOfWhatThereIsOneOf) {
    struct Locked {
        std::mutex mutex;
        int value = 0;
    };
    static OnePerProcess<Locked> one;
    one.get().value = 5;
    const std::lock_guard held(one.get().mutex);
    EXPECT_EQ(&one.get(), &one.get());
    ChildProcess child([&] {
        EXPECT_EQ(one.get().value, 0);
        EXPECT_TRUE(one.get().mutex.try_lock()) << "not the one that a thread of the parent's may hold";
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(one.get().value, 5);
}

}  // namespace
}  // namespace staithe::os
