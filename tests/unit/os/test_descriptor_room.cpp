#include "os/descriptor_room.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "os/file_descriptor.hpp"
#include "support/resource_limit.hpp"

namespace staithe::os {
namespace {

using namespace std::chrono_literals;

TEST(DescriptorRoom, IsWhatTheLimitLeaves) {
    const testing::ResourceLimit limit(RLIMIT_NOFILE, 256);
    std::this_thread::sleep_for(150ms);  // what was counted during the test before may be another number
    const DescriptorRoom before = descriptor_room();
    EXPECT_EQ(before.most, 256);
    EXPECT_GT(before.left, 0);
    const std::array claimed{spare_descriptor(), spare_descriptor()};
    EXPECT_EQ(descriptor_room().left, before.left - 2) << "at once";
}

TEST(DescriptorRoom, CountsTheProgramsOwn) {
    const testing::ResourceLimit limit(RLIMIT_NOFILE, 256);
    std::this_thread::sleep_for(150ms);
    const DescriptorRoom before = descriptor_room();
    std::array<int, 10> of_program{};
    for (int& number : of_program) {
        number = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    std::this_thread::sleep_for(150ms);
    EXPECT_EQ(descriptor_room().left, before.left - 10);
    for (const int number : of_program) {
        ::close(number);
    }
}

TEST(DescriptorRoom, IsNoneWhereNobodyCouldEvenCount) {
    const testing::ResourceLimit limit(RLIMIT_NOFILE, 0);
    std::this_thread::sleep_for(150ms);
    EXPECT_EQ(descriptor_room().left, 0);
}

}  // namespace
}  // namespace staithe::os
