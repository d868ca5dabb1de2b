#include "os/direct_writes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::os {
namespace {

constexpr auto least = static_cast<std::int64_t>(DirectWrites::least_bytes);
constexpr std::int64_t page = DirectWrites::alignment;

std::byte byte_at(std::int64_t place) { return static_cast<std::byte>(place % 251); }

struct Write {
    std::int64_t offset;
    std::int64_t bytes;
    std::int64_t in_memory;  // after the beginning of a page
};

class DirectWritesTest : public ::testing::TestWithParam<std::string> {
  protected:
    ~DirectWritesTest() override { ::unlink(path().c_str()); }
    [[nodiscard]] static std::string path() {
        return GetParam() + "/staithe-direct-writes-" + std::to_string(::getpid());
    }
};

TEST_P(DirectWritesTest, AllOfItIsThereWhereverItLies) {
    for (const Write& write :
         {Write{0, 0, 0}, Write{0, least, 0}, Write{page, least + 1, 0}, Write{3 * page, 2 * least - 1, 8},
          Write{7, least, 0}, Write{0, least - 1, 0}, Write{page, (std::int64_t{9} << 20) + 5, 0},
          Write{0, (std::int64_t{9} << 20) + 5, 16}}) {
        std::vector<std::byte> memory(static_cast<std::size_t>(write.bytes + write.in_memory + page));
        void* begin = memory.data();
        std::size_t room = memory.size();
        auto* const from = static_cast<std::byte*>(std::align(page, 1, begin, room)) + write.in_memory;
        std::vector<std::byte> expected(static_cast<std::size_t>(write.offset + write.bytes));
        for (std::int64_t i = 0; i < write.bytes; ++i) {
            from[i] = expected[static_cast<std::size_t>(write.offset + i)] = byte_at(i);
        }
        const FileDescriptor file(::open(path().c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        DirectWrites writes;
        ASSERT_TRUE(writes.write_at(file, write.offset, {from, static_cast<std::size_t>(write.bytes)}));
        EXPECT_EQ(::fcntl(file.get(), F_GETFL) & O_DIRECT, 0) << "of the next write";
        std::vector<std::byte> there(expected.size() + 1);
        EXPECT_EQ(::pread(file.get(), there.data(), there.size(), 0), std::ssize(expected));
        there.resize(expected.size());
        EXPECT_EQ(there, expected) << write.offset << ", " << write.bytes << ", " << write.in_memory;
    }
}

TEST_P(DirectWritesTest, FailWhereTheFileCannotBeWritten) {
    const FileDescriptor file(::open(path().c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::vector<std::byte> bytes(DirectWrites::least_bytes);
    DirectWrites writes;
    EXPECT_FALSE(writes.write_at(file, 0, bytes));
}

INSTANTIATE_TEST_SUITE_P(On, DirectWritesTest, ::testing::Values("/var/tmp", "/dev/shm"),
                         [](const auto& each) { return each.param == "/dev/shm" ? "Memory" : "Disk"; });

}  // namespace
}  // namespace staithe::os
