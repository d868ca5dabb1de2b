// A channel through shared memory, and members that do to it whatever they can.
#include "transport/channel/shared_channel.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "os/shared_memory.hpp"
#include "support/watchdog.hpp"
#include "transport/channel/switchboard.hpp"

namespace staithe::transport {
namespace {

class SharedChannelTest : public ::testing::Test {
  protected:
    static constexpr std::uint64_t slots = 8;

    [[nodiscard]] Switchboard& switchboard() const { return *switchboard_; }
    [[nodiscard]] Switchboard::Connection connect() const { return switchboard_->connect_member(slots, slots).value(); }
    std::shared_ptr<Channel> open(Switchboard::Connection& connection) const {
        return open_channel(connection.description, std::move(connection.descriptors), *loop_).value();
    }
    bool is_refused(const Attributes& description, std::vector<os::FileDescriptor> descriptors) const {
        const auto opened = open_channel(description, std::move(descriptors), *loop_);
        return !opened && opened.error().code == ErrorCode::protocol;
    }

  private:
    testing::Watchdog watchdog_;
    std::unique_ptr<EventLoop> loop_ = EventLoop::start().value();
    std::shared_ptr<Switchboard> switchboard_ = Switchboard::create(*loop_, [] { return false; }).value();
};

TEST_F(SharedChannelTest, HasSegmentsThatNobodyResizes) {
    const auto connection = connect();
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
        const os::FileDescriptor& file = connection.descriptors[i];
        const auto size = os::size_of_file(file).value();
        EXPECT_TRUE(os::check_shared_memory(file, size));
        EXPECT_NE(::ftruncate(file.get(), 0), 0);
        EXPECT_NE(::ftruncate(file.get(), size + 1), 0);
    }
}

TEST_F(SharedChannelTest, TheDirectorsPageCannotBeWrittenByMembers) {
    const auto connection = connect();
    const int page = connection.descriptors[2].get();
    EXPECT_EQ(::mmap(nullptr, os::page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, page, 0), MAP_FAILED);
    EXPECT_LT(::pwrite(page, "x", 1, 0), 0);
    // Not even opened once more, which the owner's processes may do.
    const std::string path = fmt::format("/proc/self/fd/{}", page);
    const os::FileDescriptor again(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (again) {
        EXPECT_EQ(::mmap(nullptr, os::page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, again.get(), 0), MAP_FAILED);
        EXPECT_LT(::pwrite(again.get(), "x", 1, 0), 0);
    }
}

TEST_F(SharedChannelTest, MembersDoNotShareTheFlagsOfThePipe) {
    const auto one = connect();
    const auto other = connect();
    EXPECT_EQ(::fcntl(one.descriptors[1].get(), F_SETFL, 0), 0);  // from now on it blocks
    EXPECT_NE(::fcntl(other.descriptors[1].get(), F_GETFL) & O_NONBLOCK, 0);
    char byte = 0;
    EXPECT_LT(::read(other.descriptors[1].get(), &byte, 1), 0) << "and nobody takes another's ring out of it";
}

TEST_F(SharedChannelTest, RefusesFilesThatCouldShrinkAndSegmentsOfAnotherSize) {
    auto connection = connect();
    const auto size = os::size_of_file(connection.descriptors[0]).value();
    for (const bool is_memory : {false, true}) {
        auto file = is_memory ? os::create_memory_file("other").value() : os::create_disk_file("/tmp").value();
        ASSERT_TRUE(os::allocate_range(file, 0, is_memory ? size + 64 : size));
        auto other = connect();
        other.descriptors[0] = std::move(file);
        EXPECT_TRUE(is_refused(other.description, std::move(other.descriptors))) << is_memory;
    }
    auto other = connect();
    other.descriptors[2] = os::create_disk_file("/tmp").value();
    EXPECT_TRUE(is_refused(other.description, std::move(other.descriptors)));
    connection.description["up_slots"] = static_cast<std::int64_t>(2 * slots);
    EXPECT_TRUE(is_refused(connection.description, std::move(connection.descriptors)));
}

// Filling its page tables would take the memory that the director has not.
TEST_F(SharedChannelTest, RefusesASegmentThatHasNoMemory) {
    auto connection = connect();
    constexpr std::int64_t many = std::int64_t{1} << 32;
    auto file = os::create_memory_file("hollow").value();
    ASSERT_EQ(::ftruncate(file.get(), 192 + 2 * 64 * many), 0);
    connection.descriptors[0] = std::move(file);
    connection.description["down_slots"] = connection.description["up_slots"] = many;
    EXPECT_TRUE(is_refused(connection.description, std::move(connection.descriptors)));
}

/// Fills all that it may write with noise until it is told to end, and its pipe, too.
void scribble(const Switchboard::Connection& connection, const std::atomic<bool>& ended) {
    const os::FileDescriptor& file = connection.descriptors[0];
    const auto size = os::size_of_file(file).value();
    const auto memory = os::Mapping::map(file, 0, size, os::Access::read_write, os::Populate::no).value();
    auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(memory.data());
    std::mt19937_64 random(5);
    std::vector<char> noise(1 << 16);
    while (!ended) {
        for (std::int64_t i = 0; i < size / 8; ++i) {
            // Small numbers are those that ring slots and bells really have.
            words[i].store(random() >> (random() % 64), std::memory_order_relaxed);
        }
        static_cast<void>(!::write(connection.descriptors[1].get(), noise.data(), noise.size()));
    }
}

TEST_F(SharedChannelTest, AMemberThatScribblesHarmsNobodyElse) {
    auto hostile = connect();
    auto honest = connect();
    const auto member = open(honest);
    std::atomic<bool> ended{false};
    std::thread scribbling([&] { scribble(hostile, ended); });
    std::thread answering([&] {
        Patience patience;
        Message message;
        for (std::uint64_t i = 0; i < 3000; ++i) {
            EXPECT_TRUE(
                member->wait(base::Deadline(base::Seconds(20)), patience, [&] { return member->receive(message); }));
            EXPECT_EQ(message.step, i);
            EXPECT_EQ(member->shown(0), static_cast<std::int64_t>(i));
            EXPECT_TRUE(member->send(message));
        }
    });
    Patience patience;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        Message message;
        message.step = i;
        honest.channel->show(0, static_cast<std::int64_t>(i));
        EXPECT_TRUE(honest.channel->send(message));
        hostile.channel->show(0, 1);
        static_cast<void>(hostile.channel->send(message));
        message.step = UINT64_MAX;
        EXPECT_TRUE(switchboard().wait(base::Deadline(base::Seconds(20)), patience, [&] {
            EXPECT_LE(hostile.channel->drain(slots, [](const Message&) {}), slots);
            return honest.channel->receive(message);
        }));
        EXPECT_EQ(message.step, i);
    }
    answering.join();
    ended = true;
    scribbling.join();
}

}  // namespace
}  // namespace staithe::transport
