#include "transport/pool_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "os/pipe.hpp"
#include "os/shared_memory.hpp"

namespace staithe::transport {
namespace {

TEST(PoolFile, ReadsPiecesAndSaysWhatIsNotThere) {
    auto file = os::create_disk_file("/tmp").value();
    const std::string content(100'000, 'x');
    ASSERT_EQ(::pwrite(file.get(), content.data(), content.size(), 4096), static_cast<ssize_t>(content.size()));
    const auto writer = file.duplicate().value();
    const PoolFile pool(std::move(file));
    std::vector<std::byte> piece(50'000);
    ASSERT_TRUE(pool.read(4096 + 50'000, piece));
    EXPECT_EQ(piece.back(), std::byte{'x'});
    EXPECT_TRUE(pool.read(0, {}));
    EXPECT_EQ(pool.copy_of(4096, 100'000).value(), std::vector(100'000, std::byte{'x'}));
    for (const std::int64_t offset : {std::int64_t{-1}, INT64_MIN, std::int64_t{4096 + 50'001}, INT64_MAX}) {
        EXPECT_FALSE(pool.read(offset, piece)) << offset;
        EXPECT_EQ(pool.copy_of(offset, 50'000).error().code, ErrorCode::protocol) << offset;
    }
    for (const std::int64_t length : {std::int64_t{-1}, std::int64_t{100'001}, INT64_MAX}) {
        EXPECT_EQ(pool.copy_of(4096, length).error().code, ErrorCode::protocol) << length;
    }
    // A mapping would end this process here.
    ASSERT_EQ(::ftruncate(writer.get(), 5000), 0);
    const auto cut = pool.read(4096, piece);
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::protocol);
}

TEST(PoolFile, IsAFile) {
    EXPECT_TRUE(PoolFile::check(os::create_disk_file("/tmp").value()));
    const auto pipe = os::create_pipe().value();
    EXPECT_EQ(PoolFile::check(pipe.read_end).error().code, ErrorCode::protocol);
    EXPECT_FALSE(PoolFile::check(os::FileDescriptor(::open("/dev/zero", O_RDONLY | O_CLOEXEC))));
}

}  // namespace
}  // namespace staithe::transport
