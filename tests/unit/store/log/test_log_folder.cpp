// What is on disk after crashes and damage, of every kind that a file can take.
#include "store/log/log_folder.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "os/files.hpp"
#include "support/resource_limit.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::store::log {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string read_all(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator(file), {}};
}

void write_all(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

class LogFolderTest : public ::testing::Test {
  protected:
    using Records = std::map<std::uint64_t, std::string>;  // by place: the description, a line break and the bytes

    /// What there is, and how many are damaged, of those that were safe and of others.
    struct Replay {
        Records records{};
        std::vector<std::uint64_t> damaged{};
        std::vector<std::uint64_t> torn{};
    };
    static Replay replay(LogFolder& folder) {
        Replay found;
        std::uint64_t last = 0;
        const auto replayed = folder.replay([&](const Replayed& record) -> base::Result<> {
            EXPECT_GT(record.place, last);
            last = record.place;
            const std::string description = record.description ? text_of(*record.description) : "";
            std::string bytes(record.bytes, '\0');
            const bool is_whole = record.read(reinterpret_cast<std::byte*>(bytes.data())) && record.description;
            if (is_whole) {
                found.records[record.place] = description + "\n" + bytes;
            } else {
                (record.was_safe ? found.damaged : found.torn).push_back(record.place);
            }
            return {};
        });
        EXPECT_TRUE(replayed);
        return found;
    }
    Replay reopened() const {
        auto folder = LogFolder::open(path());
        EXPECT_TRUE(folder) << folder.error().message;
        return folder ? replay(*folder) : Replay{};
    }

    static Entry entry(std::uint64_t place, const std::string& description, const std::string& bytes) {
        return {.place = place,
                .key = place % 5,
                .description = bytes_of(description),
                .bytes = std::as_bytes(std::span(bytes))};
    }
    static bool write(LogFolder& folder, std::uint64_t place, const std::string& description,
                      const std::string& bytes) {
        const Entry one = entry(place, description, bytes);
        return bool(folder.write(std::span(&one, 1)).front());
    }
    static bool kill(LogFolder& folder, std::vector<std::uint64_t> places) {
        const Entry one{.kind = RecordKind::killed, .places = std::move(places)};
        return bool(folder.write(std::span(&one, 1)).front());
    }
    std::vector<std::string> files() const { return os::list_directory(path()); }
    std::string path() const { return directory_ / "log"; }
    std::string first_file() const { return path() + "/" + files().at(0); }

    testing::TemporaryDirectory directory_;
};

TEST_F(LogFolderTest, HasWhatWasWritten) {
    const std::string large(200'000, 'l');
    {
        auto folder = LogFolder::open(path()).value();
        EXPECT_TRUE(replay(folder).records.empty());
        EXPECT_TRUE(files().empty()) << "a file before there is anything to write";
        const std::string small = "bytes", nothing;
        const Entry together[] = {entry(1, "a", small), entry(2, "", nothing), entry(3, "c", large)};
        for (const auto& result : folder.write(together)) {
            EXPECT_TRUE(result);
        }
        EXPECT_TRUE(write(folder, 4, "d", "more"));
        folder.end();
        EXPECT_EQ(folder.bytes(), static_cast<std::int64_t>(fs::file_size(first_file())));
    }
    const Records expected{{1, "a\nbytes"}, {2, "\n"}, {3, "c\n" + large}, {4, "d\nmore"}};
    auto folder = LogFolder::open(path()).value();
    EXPECT_EQ(folder.last_place(), 4U);
    EXPECT_EQ(replay(folder).records, expected);
}

TEST_F(LogFolderTest, IsOneServersAlone) {
    const auto folder = LogFolder::open(path());
    const auto second = LogFolder::open(path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::already_exists);
    EXPECT_NE(second.error().message.find(path()), std::string::npos);
    EXPECT_FALSE(LogFolder::open("/dev/null/nowhere"));
}

TEST_F(LogFolderTest, SaysThatAFileIsNoneOfALog) {
    fs::create_directories(path());
    write_all(path() + "/log.000001", "something else altogether");
    const auto folder = LogFolder::open(path());
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code, ErrorCode::protocol);
    write_all(path() + "/log.000001", "short");  // made just before a crash
    write_all(path() + "/log.txt", "a note");
    EXPECT_TRUE(LogFolder::open(path()));
}

/// A crash may tear the file off anywhere: what was written before is there.
TEST_F(LogFolderTest, HasWhatIsBeforeWhereItWasTornOff) {
    std::vector<std::pair<std::int64_t, std::string>> written;  // until where, and what
    {
        auto folder = LogFolder::open(path()).value();
        for (std::uint64_t place = 1; place <= 6; ++place) {
            const std::string description = "of " + std::to_string(place), bytes(5 * place, 'x');
            ASSERT_TRUE(write(folder, place, description, bytes));
            written.emplace_back(folder.bytes(), description + "\n" + bytes);
        }
    }
    const std::string whole = read_all(first_file());
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        write_all(first_file(), whole.substr(0, length));
        const Replay found = reopened();
        std::size_t expected = 0;
        // The gap behind a record holds nothing of it.
        while (expected < written.size() && written[expected].first - 7 <= static_cast<std::int64_t>(length)) {
            ++expected;
        }
        EXPECT_GE(found.records.size() + 1, expected) << length;
        EXPECT_LE(found.records.size(), expected) << length;
        EXPECT_TRUE(found.damaged.empty()) << length;
        for (const auto& [place, text] : found.records) {
            EXPECT_EQ(text, written[place - 1].second);
        }
    }
}

/// Any one byte may be another: the record that it is of is known to be damaged or is gone, the others are there.
TEST_F(LogFolderTest, HasTheOthersIfAByteIsDamaged) {
    Records written;
    {
        auto folder = LogFolder::open(path()).value();
        for (std::uint64_t place = 1; place <= 4; ++place) {
            const std::string description = "of " + std::to_string(place), bytes(5 * place, 'x');
            ASSERT_TRUE(write(folder, place, description, bytes));
            written[place] = description + "\n" + bytes;
        }
        folder.end();
    }
    const std::string whole = read_all(first_file());
    for (std::size_t at = sizeof(SegmentHeader); at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
        write_all(first_file(), damaged);
        const Replay found = reopened();
        EXPECT_GE(found.records.size(), 3U) << at;
        EXPECT_EQ(found.torn.size(), 0U) << at << ": the log was ended, so all of it was safe";
        for (const auto& [place, text] : found.records) {
            EXPECT_EQ(text, written[place]);
        }
    }
}

TEST_F(LogFolderTest, TellsDamageFromWhatWasTornOff) {
    {
        auto folder = LogFolder::open(path()).value();
        ASSERT_TRUE(write(folder, 1, "first", "one"));
        ASSERT_TRUE(write(folder, 2, "second", "two"));
    }  // killed: the second may or may not have been safe
    std::string content = read_all(first_file());
    content[content.find("one")] = '_';
    content[content.find("two")] = '_';
    write_all(first_file(), content);
    const Replay found = reopened();
    EXPECT_EQ(found.damaged, std::vector<std::uint64_t>{1});
    EXPECT_EQ(found.torn, std::vector<std::uint64_t>{2});
}

TEST_F(LogFolderTest, WritesOnWhenThereIsRoomAgain) {
    auto before = std::signal(SIGXFSZ, SIG_IGN);
    {
        auto folder = LogFolder::open(path()).value();
        ASSERT_TRUE(write(folder, 1, "a", "small"));
        {
            const testing::ResourceLimit limit(RLIMIT_FSIZE, 100'000);
            const std::string large(200'000, 'l'), small = "fits";
            const Entry together[] = {entry(2, "b", large), entry(3, "c", small)};
            const auto results = folder.write(together);
            EXPECT_FALSE(results[0]);
            EXPECT_TRUE(results[1]) << "another one had no room";
            EXPECT_LT(folder.bytes(), 1000);
        }
        ASSERT_TRUE(kill(folder, {2})) << "of which there is nothing";
        ASSERT_TRUE(write(folder, 4, "d", std::string(200'000, 'm')));
    }
    std::signal(SIGXFSZ, before);
    const Records expected{{1, "a\nsmall"}, {3, "c\nfits"}, {4, "d\n" + std::string(200'000, 'm')}};
    EXPECT_EQ(reopened().records, expected);
}

TEST_F(LogFolderTest, KillsWhenThereIsRoomAgain) {
    auto before = std::signal(SIGXFSZ, SIG_IGN);
    {
        auto folder = LogFolder::open(path()).value();
        ASSERT_TRUE(write(folder, 1, "a", std::string(1000, 'a')));
        ASSERT_TRUE(write(folder, 2, "b", "b"));
        {
            const testing::ResourceLimit limit(RLIMIT_FSIZE, 500);
            EXPECT_FALSE(kill(folder, {1}));
        }
        ASSERT_TRUE(write(folder, 3, "c", "c"));
    }
    std::signal(SIGXFSZ, before);
    EXPECT_EQ(reopened().records, (Records{{2, "b\nb"}, {3, "c\nc"}}));
}

/// Files of a few records each; what lives is always what would live without any file.
TEST_F(LogFolderTest, HasWhatWasNotKilledAtRandom) {
    std::mt19937 random(7);
    Records expected;
    std::uint64_t last = 0;
    for (int life = 0; life < 30; ++life) {
        auto folder = LogFolder::open(path(), 1000).value();
        ASSERT_EQ(replay(folder).records, expected) << "life " << life;
        last = std::max(last, folder.last_place());
        for (int i = 0; i < 20; ++i) {
            if (random() % 2 == 0 || expected.empty()) {
                const std::string description = std::to_string(random()), bytes(random() % 700, 'r');
                ASSERT_TRUE(write(folder, ++last, description, bytes));
                expected[last] = description + "\n" + bytes;
            } else {
                std::vector<std::uint64_t> places;
                for (const auto& [place, text] : expected) {
                    if (random() % 2 == 0) {
                        places.push_back(place);
                    }
                }
                ASSERT_TRUE(kill(folder, places));
                std::erase_if(expected, [&](const auto& each) { return std::ranges::count(places, each.first) > 0; });
                EXPECT_LE(files().size(), expected.size() + 2) << "files without living records go";
            }
        }
        if (life % 2 == 0) {
            folder.end();
        }
    }
}

}  // namespace
}  // namespace staithe::store::log
