#include "format/hdf5/file_writes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/resource_limit.hpp"

namespace staithe::format::hdf5 {
namespace {

using Bytes = std::vector<std::byte>;

Bytes filled(std::size_t size, int value) { return Bytes(size, static_cast<std::byte>(value)); }

class Hdf5FileWrites : public ::testing::Test {
  protected:
    ~Hdf5FileWrites() override { ::unlink(path_.c_str()); }

    [[nodiscard]] os::FileDescriptor open() const {
        return os::FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    }
    [[nodiscard]] std::size_t size() const { return std::filesystem::file_size(path_); }
    [[nodiscard]] Bytes read(Address address, std::size_t bytes) const {
        Bytes there(bytes);
        there.resize(
            static_cast<std::size_t>(::pread(open().get(), there.data(), bytes, static_cast<std::int64_t>(address))));
        return there;
    }

    const std::string path_ = "/var/tmp/staithe-hdf5-writes-" + std::to_string(::getpid());
    std::optional<FileWrites> writes_{std::in_place, open(), 0};
};

TEST_F(Hdf5FileWrites, WhatIsSmallIsThereOnceItIsSynchronised) {
    ASSERT_TRUE(writes_->write(8, filled(4, 1)));
    ASSERT_TRUE(writes_->write(100, filled(4, 3)));
    ASSERT_TRUE(writes_->write(12, filled(4, 2)));
    EXPECT_EQ(size(), 0);
    ASSERT_TRUE(writes_->synchronise(200));
    EXPECT_EQ(size(), 200);
    EXPECT_EQ(read(8, 4), filled(4, 1));
    EXPECT_EQ(read(12, 4), filled(4, 2));
    EXPECT_EQ(read(100, 4), filled(4, 3));
}

TEST_F(Hdf5FileWrites, WhatComesLaterCounts) {
    ASSERT_TRUE(writes_->write(8, filled(12, 1)));
    ASSERT_TRUE(writes_->write(10, filled(4, 2)));
    ASSERT_TRUE(writes_->synchronise(20));
    Bytes expected = filled(12, 1);
    std::fill_n(expected.begin() + 2, 4, std::byte{2});
    EXPECT_EQ(read(8, 12), expected);
}

TEST_F(Hdf5FileWrites, OfWhatIsGivenBackNothingIsWritten) {
    ASSERT_TRUE(writes_->write(8, filled(8, 1)));
    ASSERT_TRUE(writes_->write(100, filled(8, 1)));
    writes_->give_back(12);
    ASSERT_TRUE(writes_->write(12, filled(200, 2)));  // over all of it
    ASSERT_TRUE(writes_->synchronise(212));
    EXPECT_EQ(read(8, 4), filled(4, 1));
    EXPECT_EQ(read(12, 200), filled(200, 2));
}

TEST_F(Hdf5FileWrites, LargeOnesAreThereWhenTheirStepIs) {
    for (const std::size_t bytes : {std::size_t{100'000}, std::size_t{1} << 20}) {
        const auto kept = std::make_shared<Bytes>(filled(bytes, 7));
        ASSERT_TRUE(writes_->write(4096, BytesToStore{*kept, kept}));
        ASSERT_TRUE(writes_->steps().finish());
        EXPECT_EQ(read(4096, bytes), *kept);
        EXPECT_EQ(kept.use_count(), 1) << "nobody needs them any more";
    }
}

TEST_F(Hdf5FileWrites, WhatNobodyKeepsIsThereAtOnce) {
    ASSERT_TRUE(writes_->write(0, filled(100'000, 7)));
    EXPECT_EQ(read(0, 100'000), filled(100'000, 7));
}

TEST_F(Hdf5FileWrites, TheFileEndsWhereItsSuperblockSays) {
    ASSERT_TRUE(writes_->write(0, filled(100'000, 7)));
    ASSERT_TRUE(writes_->synchronise(100'000));
    EXPECT_GT(size(), 100'000) << "it grows ahead";
    writes_->keep(100'000);
    ASSERT_TRUE(writes_->write(100'000, filled(100'000, 8)));  // of a step that nobody publishes
    writes_.reset();
    EXPECT_EQ(size(), 100'000);
}

TEST_F(Hdf5FileWrites, TheFileGrowsNoFurtherThanTheProcessMay) {
    constexpr std::size_t most = std::size_t{1} << 20;
    const testing::ResourceLimit limit(RLIMIT_FSIZE, most);
    ASSERT_TRUE(writes_->write(0, filled(most / 2, 1)));  // who goes beyond is ended: SIGXFSZ
    EXPECT_EQ(size(), most);
    ASSERT_TRUE(writes_->write(most / 2, filled(most / 2, 2)));
    ASSERT_TRUE(writes_->synchronise(most));
    EXPECT_EQ(read(most / 2, most / 2), filled(most / 2, 2));
}

TEST_F(Hdf5FileWrites, WhoGoesBeyondWhatTheProcessMayIsTold) {
    const testing::ResourceLimit limit(RLIMIT_FSIZE, std::size_t{1} << 20);
    EXPECT_FALSE(writes_->write(1 << 20, filled(100'000, 1)));
    ASSERT_TRUE(writes_->write(1 << 20, filled(8, 1)));
    EXPECT_FALSE(writes_->synchronise((1 << 20) + 8));
}

TEST_F(Hdf5FileWrites, AFileThatNothingWasWrittenToStaysAsItIs) {
    ASSERT_TRUE(writes_->write(0, filled(5000, 7)));
    ASSERT_TRUE(writes_->synchronise(5000));
    writes_->keep(5000);
    writes_.emplace(open(), 48);
    writes_.reset();
    EXPECT_EQ(size(), 5000);
}

TEST_F(Hdf5FileWrites, InAnyOrderAreAsWrittenOneAfterTheOther) {
    std::mt19937 random(7);
    Bytes expected(4096);
    for (int i = 0; i < 2000; ++i) {
        const std::size_t bytes = random() % 64 + 1;
        const std::size_t at = random() % (expected.size() - bytes);
        if (i % 50 == 0) {
            ASSERT_TRUE(writes_->synchronise(expected.size()));
        }
        const Bytes written = filled(bytes, i);
        std::ranges::copy(written, expected.begin() + static_cast<std::ptrdiff_t>(at));
        ASSERT_TRUE(writes_->write(at, written));
    }
    ASSERT_TRUE(writes_->synchronise(expected.size()));
    EXPECT_EQ(read(0, expected.size()), expected);
}

}  // namespace
}  // namespace staithe::format::hdf5
