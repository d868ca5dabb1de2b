#include "store/checked_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "os/shared_memory.hpp"
#include "store/pool_source.hpp"

namespace staithe::store {
namespace {

constexpr std::int64_t offset = 4096;
constexpr std::int64_t bytes = 200'001;  // four stretches, of which the last one is short

class CheckedFileTest : public ::testing::Test {
  protected:
    CheckedFileTest() {
        for (std::size_t i = 0; i < block_.size(); ++i) {
            block_[i] = static_cast<std::byte>(i * 7 + i / 251);
        }
        std::vector<std::byte> place(static_cast<std::size_t>(size_with_checksums(bytes)));
        write_with_checksums(place.data(), ref_, block_.data());
        write(offset, place);
    }
    void write(std::int64_t at, std::span<const std::byte> what) {
        ASSERT_EQ(::pwrite(file_.get(), what.data(), what.size(), at), static_cast<ssize_t>(what.size()));
    }
    void flip(std::int64_t at) {
        std::byte byte{};
        ASSERT_EQ(::pread(file_.get(), &byte, 1, at), 1);
        byte ^= std::byte{1};
        write(at, {&byte, 1});
    }
    [[nodiscard]] base::Result<std::vector<std::byte>> part(std::int64_t first, std::int64_t length) const {
        return checked_.copy_of_part({offset, bytes, first}, length);
    }
    [[nodiscard]] std::vector<std::byte> expected(std::int64_t first, std::int64_t length) const {
        return {block_.begin() + first, block_.begin() + first + length};
    }

    std::vector<std::byte> block_{static_cast<std::size_t>(bytes)};
    const BlockRef ref_{.offset = offset, .bytes = bytes};
    const os::FileDescriptor file_ = os::create_disk_file("/tmp").value();
    const CheckedFile checked_{file_.duplicate().value(), "server 'staithe'"};
};

TEST_F(CheckedFileTest, GivesAnyPartOfABlock) {
    for (const std::int64_t first : {0, 1, 65'535, 65'536, 65'537, 131'072, 200'000, 200'001}) {
        for (const std::int64_t length : {0, 1, 65'535, 65'536, 65'537, 131'073, 200'001}) {
            if (first + length <= bytes) {
                EXPECT_EQ(part(first, length).value(), expected(first, length)) << first << " + " << length;
            }
        }
    }
}

TEST_F(CheckedFileTest, AFlippedByteIsSeenByWhoReadsItsStretch) {
    for (const std::int64_t at : {0, 65'535, 100'000, 200'000}) {
        flip(offset + at);
        const auto failed = part(at, 1);
        ASSERT_FALSE(failed) << at;
        EXPECT_EQ(failed.error().code, ErrorCode::protocol);
        EXPECT_NE(failed.error().message.find("the spill file of server 'staithe' is damaged"), std::string::npos);
        EXPECT_FALSE(part(0, bytes));
        const std::int64_t other = at < 65'536 ? 65'536 : 0;
        EXPECT_EQ(part(other, 10'000).value(), expected(other, 10'000)) << "of another stretch";
        flip(offset + at);
        EXPECT_TRUE(part(0, bytes));
    }
}

TEST_F(CheckedFileTest, AFlippedChecksumAndZeroesAreSeen) {
    flip(offset + bytes + 7 + 8);  // within the second checksum
    EXPECT_TRUE(part(0, 65'536));
    EXPECT_FALSE(part(65'536, 1));
    write(offset, std::vector<std::byte>(static_cast<std::size_t>(size_with_checksums(bytes))));
    EXPECT_FALSE(part(0, 1)) << "as of a disk that never wrote it";
}

TEST_F(CheckedFileTest, ABlockOfAnotherPlaceIsNotTakenForIt) {
    std::vector<std::byte> all(static_cast<std::size_t>(size_with_checksums(bytes)));
    ASSERT_EQ(::pread(file_.get(), all.data(), all.size(), offset), static_cast<ssize_t>(all.size()));
    write(1 << 20, all);
    EXPECT_FALSE(checked_.copy_of_part({1 << 20, bytes, 0}, bytes));
}

TEST_F(CheckedFileTest, WhatCannotBeIsRefused) {
    EXPECT_EQ(part(-1, 1).error().code, ErrorCode::protocol);
    EXPECT_EQ(part(1, bytes).error().code, ErrorCode::protocol);
    EXPECT_EQ(part(bytes + 1, 0).error().code, ErrorCode::protocol);
    for (const std::int64_t large : {INT64_MAX, INT64_MAX / 2, std::int64_t{1} << 50}) {
        EXPECT_FALSE(checked_.copy_of_part({offset, large, 0}, large)) << large;
        EXPECT_FALSE(checked_.copy_of_part({large, bytes, 0}, 1)) << large;
        EXPECT_FALSE(checked_.copy_of_part({offset, large, large - 1}, 1)) << large;
    }
    EXPECT_FALSE(checked_.copy_of_part({-1, bytes, 0}, 1));
    EXPECT_GE(size_with_checksums(INT64_MAX), INT64_MAX / 2) << "no memory has so much";
}

TEST_F(CheckedFileTest, WhatLiesThereAlreadyGetsItsChecksums) {
    std::vector<std::byte> place(static_cast<std::size_t>(size_with_checksums(bytes)));
    std::ranges::copy(block_, place.begin());
    write_with_checksums(place.data(), ref_, place.data());
    std::vector<std::byte> as_copied(place.size());
    write_with_checksums(as_copied.data(), ref_, block_.data());
    EXPECT_EQ(place, as_copied);
}

TEST_F(CheckedFileTest, AsASourceItNamesTheBlock) {
    const auto source = open_checked_pool_source(file_.duplicate().value(), "server 'staithe'").value();
    BlockDescription block;
    block.variable = "pressure";
    block.shape = block.box.count = {bytes};
    block.box.offset = {0};
    std::vector<std::uint8_t> got(static_cast<std::size_t>(bytes));
    const Piece piece{0, &block, {{{0}, {bytes}}, Selection::all({bytes})}};
    const auto fetch = [&] { return source->fetch({&ref_, 1}, {&piece, 1}, view_of(got)); };
    ASSERT_TRUE(fetch());
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(got)), block_));
    flip(offset + 150'000);
    const auto failed = fetch();
    ASSERT_FALSE(failed);
    for (const char* word : {"'pressure'", "server 'staithe'", "131072 to 196608", "put it again"}) {
        EXPECT_NE(failed.error().message.find(word), std::string::npos) << failed.error().message;
    }
}

}  // namespace
}  // namespace staithe::store
