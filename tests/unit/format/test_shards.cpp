// Shards: where chunks lie in them, and what a damaged index is taken for.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/zarr/crc32c.hpp"
#include "format/zarr/shards.hpp"
#include "os/direct_writes.hpp"
#include "os/file_descriptor.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::format::zarr {
namespace {

using ::testing::HasSubstr;

TEST(Shards, HaveTheChecksumThatIsPublished) {
    const std::string_view digits = "123456789";
    EXPECT_EQ(crc32c(std::as_bytes(std::span(digits))), 0xE3069283U);
    EXPECT_EQ(crc32c({}), 0U);
    EXPECT_EQ(crc32c(std::vector<std::byte>(32)), 0x8A9136AAU) << "RFC 3720, B.4";
}

TEST(Shards, HaveLargeChunksWhereTheDiskWantsThem) {
    ShardIndex index;
    EXPECT_EQ(index.append(100), 0);
    EXPECT_EQ(index.append(50), 100);
    const auto large = static_cast<std::int64_t>(os::DirectWrites::least_bytes);
    EXPECT_EQ(index.append(large), os::DirectWrites::alignment);
    EXPECT_EQ(index.end(), os::DirectWrites::alignment + large);
    EXPECT_EQ(index.encode().size(), 3 * 16 + 4U);
}

class ShardFiles : public ::testing::Test {
  protected:
    /// With chunks of 10 and 20 bytes and their index.
    ShardFiles() : file_(os::open_kept_file_alone(directory_ / "c.0").value()) {
        ShardIndex index;
        index.append(10);
        index.append(20);
        content_.resize(30);
        const auto encoded = index.encode();
        content_.insert(content_.end(), encoded.begin(), encoded.end());
        write();
    }
    void write() {
        ASSERT_TRUE(os::cut(file_, 0));
        ASSERT_TRUE(os::write_at(file_, 0, content_));
    }

    [[nodiscard]] base::Result<std::optional<Place>> find(const InShard& chunk) const {
        const auto shard = ReadShard::open(file_, chunk.chunks);
        return shard ? shard->find(chunk) : base::fail(shard);
    }

    testing::TemporaryDirectory directory_;
    os::FileDescriptor file_;
    std::vector<std::byte> content_;
};

TEST_F(ShardFiles, SayWhereChunksLie) {
    for (const auto& [chunk, offset, bytes] : {std::tuple(0, 0, 10), std::tuple(1, 10, 20)}) {
        const auto found = find({chunk, 2});
        ASSERT_TRUE(found) << found.error().message;
        EXPECT_EQ(*found, (Place{offset, bytes}));
    }
}

TEST_F(ShardFiles, ThatAreDamagedSaySo) {
    for (std::size_t at = 30; at < content_.size(); ++at) {
        content_[at] ^= std::byte{1};
        write();
        const auto found = find({0, 2});
        ASSERT_FALSE(found) << at;
        EXPECT_THAT(found.error().message, HasSubstr("index at its end is damaged"));
        content_[at] ^= std::byte{1};
    }
    EXPECT_FALSE(find({0, 3})) << "of another number of chunks";
    content_.resize(20);
    write();
    EXPECT_FALSE(find({0, 2}));
}

/// With a checksum that is right, all the same.
TEST_F(ShardFiles, ThatLieAreNotBelieved) {
    const auto says = [&](std::uint64_t offset, std::uint64_t bytes) {
        const std::uint64_t numbers[] = {offset, bytes};
        std::memcpy(&content_[30], numbers, sizeof(numbers));
        const std::uint32_t checksum = crc32c(std::span(content_).subspan(30, 32));
        std::memcpy(&content_[62], &checksum, sizeof(checksum));
        write();
        return find({0, 2});
    };
    EXPECT_TRUE(says(0, 30));
    EXPECT_FALSE(says(0, 31));
    EXPECT_FALSE(says(31, 0));
    EXPECT_FALSE(says(UINT64_MAX - 1, 3));
    EXPECT_EQ(says(UINT64_MAX, UINT64_MAX).value(), std::nullopt) << "it was left out";
}

/// Two arrays may say that the same file is theirs.
TEST_F(ShardFiles, HaveAsManyChunksAsTheyWereFoundToHave) {
    ReadShards shards;
    EXPECT_TRUE(shards.find("c.0", file_, {1, 2}));
    for (const InShard& chunk : {InShard{0, 1}, InShard{2, 3}, InShard{1000, 1024}}) {
        const auto found = shards.find("c.0", file_, chunk);
        ASSERT_FALSE(found) << chunk.chunk;
        EXPECT_THAT(found.error().message, HasSubstr("another array"));
    }
}

TEST_F(ShardFiles, AreLookedAtOnce) {
    ReadShards shards;
    EXPECT_EQ(shards.find("c.0", file_, {1, 2}).value()->offset, 10);
    content_[40] ^= std::byte{1};
    write();
    EXPECT_EQ(shards.find("c.0", file_, {0, 2}).value()->bytes, 10);
    EXPECT_FALSE(shards.find("c.1", file_, {0, 2}));
    for (int other = 0; other < 20; ++other) {
        content_[40] ^= std::byte{1};
        write();
        EXPECT_EQ(shards.find(std::to_string(other), file_, {0, 2}).has_value(), other % 2 == 0);
    }
}

}  // namespace
}  // namespace staithe::format::zarr
