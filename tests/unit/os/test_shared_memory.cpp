#include "os/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include <gtest/gtest.h>

#include "support/child_process.hpp"

namespace staithe::os {
namespace {

class SharedMemoryTest : public ::testing::Test {
  protected:
    [[nodiscard]] const FileDescriptor& file() const { return file_; }
    static std::int64_t pages(std::int64_t count) { return count * static_cast<std::int64_t>(page_size()); }
    [[nodiscard]] std::int64_t resident() const {
        struct stat status{};
        EXPECT_EQ(::fstat(file_.get(), &status), 0);
        return static_cast<std::int64_t>(status.st_blocks) * 512;
    }

  private:
    FileDescriptor file_ = create_memory_file("staithe:test").value();
};

TEST_F(SharedMemoryTest, StartsEmptyAndGrowsByRanges) {
    EXPECT_EQ(size_of_file(file()).value(), 0);
    ASSERT_TRUE(allocate_range(file(), 0, pages(4)));
    EXPECT_EQ(size_of_file(file()).value(), pages(4));
    EXPECT_EQ(resident(), pages(4)) << "pages are given now, not at the first touch";
    ASSERT_TRUE(allocate_range(file(), pages(8), pages(1)));
    EXPECT_EQ(size_of_file(file()).value(), pages(9));
    EXPECT_EQ(resident(), pages(5));
}

TEST_F(SharedMemoryTest, OfAPeerItMustBeMemoryThatStaysAndHasTheSizeThatWasSaid) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(2)));
    EXPECT_TRUE(check_shared_memory(file()));
    EXPECT_TRUE(check_shared_memory(file(), pages(2)));
    EXPECT_TRUE(check_shared_memory(duplicate_read_only(file()).value()));
    EXPECT_EQ(check_shared_memory(file(), pages(3)).error().code, ErrorCode::protocol);
    const auto on_disk = create_disk_file("/tmp").value();
    ASSERT_TRUE(allocate_range(on_disk, 0, pages(2)));
    EXPECT_EQ(check_shared_memory(on_disk, pages(2)).error().code, ErrorCode::protocol);
    const FileDescriptor unsealed(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(check_shared_memory(unsealed).error().code, ErrorCode::protocol);
    EXPECT_EQ(check_shared_memory(FileDescriptor(::open("/dev/zero", O_RDWR | O_CLOEXEC))).error().code,
              ErrorCode::protocol);
}

TEST_F(SharedMemoryTest, ASizeThatIsFixedStays) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(2)));
    ASSERT_TRUE(fix_size(file()));
    EXPECT_FALSE(allocate_range(file(), pages(2), pages(1)));
    EXPECT_NE(::ftruncate(file().get(), pages(1)), 0);
}

TEST_F(SharedMemoryTest, ClosedForWritingItIsWrittenThroughOldMappingsAlone) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(1)));
    const auto old = Mapping::map(file(), 0, pages(1), Access::read_write, Populate::no).value();
    close_for_writing(file());
    if ((::fcntl(file().get(), F_GET_SEALS) & F_SEAL_FUTURE_WRITE) == 0) {
        GTEST_SKIP() << "a kernel before 5.1";
    }
    *old.data() = std::byte{7};
    EXPECT_FALSE(Mapping::map(file(), 0, pages(1), Access::read_write, Populate::no));
    const auto reading = Mapping::map(file(), 0, pages(1), Access::read_only, Populate::no).value();
    EXPECT_EQ(*reading.data(), std::byte{7});
}

TEST_F(SharedMemoryTest, IsClosedOnExecAndCannotShrink) {
    EXPECT_NE(::fcntl(file().get(), F_GETFD) & FD_CLOEXEC, 0);
    ASSERT_TRUE(allocate_range(file(), 0, pages(2)));
    EXPECT_NE(::ftruncate(file().get(), pages(1)), 0);
    EXPECT_EQ(size_of_file(file()).value(), pages(2));
}

TEST_F(SharedMemoryTest, DiscardedRangesGiveTheirPagesBackAndReadAsZeros) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(4)));
    const auto mapping = Mapping::map(file(), 0, pages(4), Access::read_write, Populate::yes).value();
    std::memset(mapping.data(), 1, mapping.size());
    discard_range(file(), pages(1), pages(2));
    EXPECT_EQ(resident(), pages(2));
    EXPECT_EQ(size_of_file(file()).value(), pages(4));
    EXPECT_EQ(mapping.data()[0], std::byte{1});
    EXPECT_EQ(mapping.data()[pages(1)], std::byte{0});
}

TEST_F(SharedMemoryTest, MappingsOfOneFileShareTheirMemory) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(3)));
    const auto whole = Mapping::map(file(), 0, pages(3), Access::read_write, Populate::no).value();
    const auto part = Mapping::map(file(), pages(1), pages(1), Access::read_only, Populate::yes).value();
    whole.data()[pages(1) + 5] = std::byte{42};
    EXPECT_EQ(part.data()[5], std::byte{42});
    EXPECT_EQ(part.size(), page_size());
}

TEST_F(SharedMemoryTest, MappingBeyondTheFileIsAnErrorNotASignal) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(2)));
    struct Range {
        std::int64_t offset, length;
    };
    for (const auto& [offset, length] : {Range{0, pages(3)}, Range{pages(2), 1}, Range{-pages(1), pages(1)},
                                         Range{0, -1}, Range{0, 0}, Range{INT64_MAX, 1}, Range{1, INT64_MAX}}) {
        const auto mapping = Mapping::map(file(), offset, length, Access::read_only, Populate::no);
        ASSERT_FALSE(mapping) << offset << " + " << length;
        EXPECT_EQ(mapping.error().code, ErrorCode::protocol);
    }
}

TEST_F(SharedMemoryTest, ReadOnlyDuplicateCannotBecomeWritable) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(1)));
    const auto duplicate = duplicate_read_only(file()).value();
    EXPECT_TRUE(Mapping::map(duplicate, 0, pages(1), Access::read_only, Populate::yes));
    EXPECT_FALSE(Mapping::map(duplicate, 0, pages(1), Access::read_write, Populate::no));
    EXPECT_NE(::pwrite(duplicate.get(), "x", 1, 0), 1);
    void* mapped = ::mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, duplicate.get(), 0);
    ASSERT_NE(mapped, MAP_FAILED);
    EXPECT_NE(::mprotect(mapped, page_size(), PROT_READ | PROT_WRITE), 0);
    ::munmap(mapped, page_size());
    EXPECT_NE(::fcntl(duplicate.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(SharedMemoryTest, TheUserMayOpenWhatWasPassedReadOnlyForWriting) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(1)));
    const auto writable = duplicate_for_update(duplicate_read_only(file()).value());
    ASSERT_TRUE(writable) << writable.error().message;
    EXPECT_TRUE(Mapping::map(*writable, 0, pages(1), Access::read_write, Populate::no));
}

TEST_F(SharedMemoryTest, ARangeThatWasDiscardedHasNoPages) {
    ASSERT_TRUE(allocate_range(file(), 0, pages(4)));
    ASSERT_TRUE(Mapping::map(file(), 0, pages(4), Access::read_write, Populate::yes));
    EXPECT_TRUE(has_pages(file(), pages(1), pages(2)));
    discard_range(file(), pages(1), pages(2));
    EXPECT_FALSE(has_pages(file(), pages(1), pages(2)));
    EXPECT_TRUE(has_pages(file(), pages(1), pages(3)));
    discard_range(file(), pages(3), pages(1));
    EXPECT_FALSE(has_pages(file(), pages(1), pages(3)));
    EXPECT_TRUE(has_pages(file(), 0, pages(1)));
}

TEST_F(SharedMemoryTest, OtherUsersCannotOpenWhatTheyWereGivenForWriting) {
    struct stat status{};
    ASSERT_EQ(::fstat(file().get(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(SharedMemoryTest, GrowingBeyondTheLimitOfFilesIsAnErrorNotASignal) {
    testing::ChildProcess child([] {
        const rlimit limit{static_cast<rlim_t>(pages(3)), static_cast<rlim_t>(pages(3))};
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
        const auto file = create_memory_file("limited").value();
        EXPECT_TRUE(allocate_range(file, 0, pages(3)));
        const auto refused = allocate_range(file, pages(3), pages(1));
        EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
        EXPECT_NE(refused.error().message.find("ulimit -f"), std::string::npos) << refused.error().message;
        EXPECT_EQ(size_of_file(file).value(), pages(3));
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(SharedMemoryTest, MoreThanTheMachineHasIsAnErrorNotItsDeath) {
    const auto refused = check_available_memory(std::int64_t{1} << 50);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
    EXPECT_NE(refused.error().message.find("this machine has"), std::string::npos) << refused.error().message;
    EXPECT_TRUE(check_available_memory(32 << 20));
}

TEST_F(SharedMemoryTest, MappingMovesAndOutlivesItsFile) {
    Mapping mapping;
    {
        const auto own = create_memory_file("short-lived").value();
        ASSERT_TRUE(allocate_range(own, 0, pages(1)));
        mapping = Mapping::map(own, 0, pages(1), Access::read_write, Populate::yes).value();
    }
    mapping.data()[0] = std::byte{1};
    const Mapping moved(std::move(mapping));
    EXPECT_EQ(moved.data()[0], std::byte{1});
}

TEST_F(SharedMemoryTest, FileThatIsNoneIsAnError) {
    EXPECT_FALSE(size_of_file(FileDescriptor()));
    EXPECT_FALSE(duplicate_read_only(FileDescriptor()));
    EXPECT_FALSE(allocate_range(FileDescriptor(), 0, 1));
    EXPECT_FALSE(create_memory_file(std::string(300, 'x')));
}

}  // namespace
}  // namespace staithe::os
