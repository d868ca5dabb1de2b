#include "os/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include <gtest/gtest.h>

#include "support/child_process.hpp"

namespace staithe::os {
namespace {

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }

FileDescriptor open_null() { return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(FileDescriptor, ClosesWhatItOwns) {
    int number = -1;
    {
        const FileDescriptor descriptor = open_null();
        number = descriptor.get();
        EXPECT_TRUE(descriptor);
        EXPECT_TRUE(is_open(number));
    }
    EXPECT_FALSE(is_open(number));
    EXPECT_FALSE(FileDescriptor());
}

TEST(FileDescriptor, MovesItsOwnership) {
    FileDescriptor a = open_null();
    const int number = a.get();
    FileDescriptor b(std::move(a));
    FileDescriptor c = open_null();
    const int replaced = c.get();
    c = std::move(b);
    EXPECT_EQ(c.get(), number);
    b = FileDescriptor();
    EXPECT_FALSE(is_open(replaced));
    const FileDescriptor released(c.release());
    EXPECT_FALSE(c);
    EXPECT_TRUE(is_open(number));
}

TEST(FileDescriptor, DuplicateIsIndependentAndClosedOnExec) {
    FileDescriptor original = open_null();
    const FileDescriptor copy = original.duplicate().value();
    EXPECT_NE(copy.get(), original.get());
    EXPECT_NE(::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC, 0);
    original = FileDescriptor();
    EXPECT_TRUE(is_open(copy.get()));
    EXPECT_FALSE(FileDescriptor().duplicate());
}

TEST(FileDescriptor, RunningOutOfThemIsALimit) {
    testing::ChildProcess child([] {
        rlimit limit{};
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
        limit.rlim_cur = 3;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
        EXPECT_EQ(FileDescriptor(0).duplicate().error().code, ErrorCode::limit_reached);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST(FileDescriptor, IsCountedAndLimited) {
    const std::int64_t before = usage().descriptors;
    {
        const FileDescriptor original = open_null();
        const FileDescriptor copy = original.duplicate().value();
        EXPECT_EQ(usage().descriptors, before + 2);
        set_limits({.descriptors = before + 2});
        const auto refused = original.duplicate();
        set_limits({});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
        EXPECT_NE(refused.error().message.find("`descriptors`"), std::string::npos) << refused.error().message;
        FileDescriptor moved = open_null();
        const FileDescriptor target(std::move(moved));
        EXPECT_EQ(usage().descriptors, before + 3);
    }
    EXPECT_EQ(usage().descriptors, before);
    FileDescriptor released = open_null();
    const int number = released.release();
    EXPECT_EQ(usage().descriptors, before);
    ::close(number);
}

TEST(BorrowedDescriptor, LeavesItOpen) {
    const FileDescriptor owner = open_null();
    {
        const std::int64_t before = usage().descriptors;
        const BorrowedDescriptor borrowed(owner.get());
        EXPECT_EQ(usage().descriptors, before);
    }
    EXPECT_TRUE(is_open(owner.get()));
}

TEST(FailWithErrno, TellsLimitsFromOtherFailures) {
    for (const int limit : {EMFILE, ENFILE, ENOMEM, ENOSPC, EFBIG}) {
        EXPECT_EQ(fail_with_errno(limit, "do it").value().code, ErrorCode::limit_reached);
    }
    const auto full = fail_with_errno_in("/my/run", ENOSPC, "write it").value();
    EXPECT_EQ(full.code, ErrorCode::limit_reached);
    EXPECT_EQ(full.message,
              "cannot write it: No space left on device; free room in /my/run, or choose another run directory with "
              "STAITHE_RUN_DIR");
    EXPECT_EQ(fail_with_errno_in("/my/run", EACCES, "write it").value().code, ErrorCode::system);
    const auto failure = fail_with_errno(EACCES, "do it").value();
    EXPECT_EQ(failure.code, ErrorCode::system);
    EXPECT_EQ(failure.message, "cannot do it: Permission denied");
}

}  // namespace
}  // namespace staithe::os
