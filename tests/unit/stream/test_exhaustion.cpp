// The system's own limits, really reached: errors say so, nothing is lost, and it goes on afterwards.
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/child_process.hpp"
#include "support/sanitizers.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

constexpr std::int64_t values_a_step = 1 << 18;
constexpr std::int64_t bytes_a_step = values_a_step * 8;  // 2 MiB

class ExhaustionTest : public StreamTest {
  private:
    EnvironmentVariable in_shared_memory_{"STAITHE_TEST_CHANNEL", nullptr};  // a socket has descriptors of its own

  protected:
    static void limit(int resource, rlim_t most) {
        const rlimit limits{most, most};
        EXPECT_EQ(::setrlimit(static_cast<__rlimit_resource>(resource), &limits), 0);
    }
    static rlim_t address_space_in_use() {
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    }

    /// Writes 20 steps in this process, where room for less than that is left, to a slow reader in another; then a step
    /// that cannot be, and more of the usual ones.
    static void write_through_a_shortage(const Signal& opened, const std::function<void()>& cause_shortage,
                                         const std::string& advice) {
        Writer out("s", {.queue_steps = 16, .queue_bytes = 64 * bytes_a_step});
        opened.give();
        cause_shortage();
        write_steps(out, 20, values_a_step);
        {
            WriteStep step = out.begin_step();
            try {
                static_cast<void>(step.loan("x", Dtype::u8, {std::int64_t{256} << 20}));
                ADD_FAILURE() << "there was room for 256 MiB";
            } catch (const LimitReached& error) {
                EXPECT_NE(std::string(error.what()).find(advice), std::string::npos) << error.what();
            }
        }
        write_steps(out, 5, values_a_step);
        out.close();
    }
    static void read_slowly(const Signal& opened) {
        opened.await();
        Reader in("s");
        std::vector<std::int64_t> numbers;
        while (const auto step = in.next()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            expect_intact(*step);
            numbers.push_back(step->index());
        }
        std::vector<std::int64_t> expected = first_numbers(26);
        expected.erase(expected.begin() + 20);  // the one that could not be
        EXPECT_EQ(numbers, expected);
    }
};

TEST_F(ExhaustionTest, AddressSpaceThatRunsOutMakesTheWriterWait) {
    if (!address_space_can_be_limited) {
        GTEST_SKIP() << "a sanitizer's shadow memory takes more than any limit";
    }
    const Signal opened;
    ChildProcess writing([&] {
        write_through_a_shortage(
            opened, [] { limit(RLIMIT_AS, address_space_in_use() + 5 * bytes_a_step); }, "ulimit -v");
        return 0;
    });
    read_slowly(opened);
    EXPECT_EQ(writing.wait(), 0);
}

TEST_F(ExhaustionTest, FileSizeThatIsLimitedMakesTheWriterWait) {
    const Signal opened;
    ChildProcess writing([&] {
        write_through_a_shortage(opened, [] { limit(RLIMIT_FSIZE, 6 * bytes_a_step); }, "ulimit -f");
        return 0;
    });
    read_slowly(opened);
    EXPECT_EQ(writing.wait(), 0);
}

TEST_F(ExhaustionTest, TwoHundredReadersComeAndGoWith64Descriptors) {
    const Signal opened;
    const Signal done;
    ChildProcess writing([&] {
        limit(RLIMIT_NOFILE, 64);
        Writer out("s", {.readers = 0});
        write_step(out, 64);
        const std::int64_t before = usage().descriptors;
        opened.give();
        std::atomic<bool> ended{false};
        std::thread watching([&] {
            done.await();
            ended = true;
        });
        while (!ended) {
            write_step(out, 64);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        watching.join();
        for (int i = 0; i < 1000 && (usage().connections > 0 || usage().descriptors > before); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(usage().connections, 0);
        EXPECT_EQ(usage().descriptors, before);
        out.close();
        return 0;
    });
    opened.await();
    constexpr std::size_t readers = 200;
    constexpr std::size_t at_once = 80;  // more than the writer can talk to
    std::vector<std::unique_ptr<ChildProcess>> reading;
    std::size_t ended = 0;
    while (ended < readers) {
        while (reading.size() < readers && reading.size() - ended < at_once) {
            reading.push_back(std::make_unique<ChildProcess>([] {
                Reader in("s", {.timeout = 50.0});
                expect_intact(in.next().value());
                return 0;
            }));
        }
        EXPECT_EQ(reading[ended]->wait(), 0) << "reader " << ended;
        ++ended;
    }
    done.give();
    EXPECT_EQ(writing.wait(), 0);
}

/// A small file system of a test's own.
class SmallFileSystem {
  public:
    explicit SmallFileSystem(const std::string& path) : path_(path) {
        std::filesystem::create_directory(path);
        mounted_ = ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=64k,mode=0700") == 0;
    }
    ~SmallFileSystem() {
        if (mounted_) {
            ::umount2(path_.c_str(), MNT_DETACH);
        }
    }
    SmallFileSystem(const SmallFileSystem&) = delete;
    SmallFileSystem& operator=(const SmallFileSystem&) = delete;

    [[nodiscard]] bool mounted() const { return mounted_; }
    void fill() const {
        std::ofstream file(path_ + "/filler");
        while (file << std::string(4096, 'x') << std::flush) {
        }
    }
    void free() const { std::filesystem::remove(path_ + "/filler"); }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) {
            found.push_back(entry.path().filename().string());
        }
        return found;
    }

  private:
    const std::string path_;
    bool mounted_ = false;
};

TEST_F(ExhaustionTest, FullRunDirectoryIsNamedAndUsedAgainOnceThereIsRoom) {
    const std::string directory = run_directory() + "/small";
    const SmallFileSystem disk(directory);
    if (!disk.mounted()) {
        GTEST_SKIP() << "mounting a tmpfs takes root: " << std::strerror(errno);
    }
    const EnvironmentVariable chosen("STAITHE_RUN_DIR", directory.c_str());
    disk.fill();
    for (int turn = 0; turn < 3; ++turn) {
        try {
            const Writer out("s", {.readers = 0});
            ADD_FAILURE() << "there was room";
        } catch (const LimitReached& error) {
            EXPECT_NE(std::string(error.what()).find("free room in " + directory), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("STAITHE_RUN_DIR"), std::string::npos) << error.what();
        }
        EXPECT_EQ(disk.names(), std::vector<std::string>{"filler"}) << "no drafts, no sockets are left";
    }
    disk.free();
    Writer out("s", {.readers = 0});
    Reader in("s");
    disk.fill();  // what is open needs no more room
    write_steps(out, 5);
    out.close();
    EXPECT_EQ(read_to_end(in), first_numbers(5));
}

}  // namespace
}  // namespace staithe
