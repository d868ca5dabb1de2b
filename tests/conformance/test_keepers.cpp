// Who keeps spaces: this process itself; a server, which is this process, too; two of them; and one that is reached
// over TCP only.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <staithe/server.hpp>
#include <staithe/space.hpp>
#include <staithe/writer.hpp>

#include "conformance/keeper_batch_suite.hpp"
#include "conformance/keeper_lock_suite.hpp"
#include "conformance/keeper_suite.hpp"
#include "os/tcp.hpp"
#include "space/keepers.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "transport/key.hpp"

namespace staithe::testing {
namespace {

std::shared_ptr<space::Keeper> door_to(const std::string& server) {
    return space::open_keeper("campaign", server, base::Deadline(base::Seconds(20))).value();
}

struct Own {
    static std::shared_ptr<space::Keeper> open() { return door_to(""); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(OwnKeeper, KeeperSuite, Own);
INSTANTIATE_TYPED_TEST_SUITE_P(OwnKeeper, KeeperLockSuite, Own);
INSTANTIATE_TYPED_TEST_SUITE_P(OwnKeeper, KeeperBatchSuite, Own);

struct Served {
    [[nodiscard]] std::shared_ptr<space::Keeper> open() const { return door_to("harbour"); }

    TemporaryDirectory directory;
    EnvironmentVariable run_directory{"STAITHE_RUN_DIR", directory.path().c_str()};
    Server server{{.name = "harbour"}};
};
INSTANTIATE_TYPED_TEST_SUITE_P(ServedKeeper, KeeperSuite, Served);
INSTANTIATE_TYPED_TEST_SUITE_P(ServedKeeper, KeeperLockSuite, Served);
INSTANTIATE_TYPED_TEST_SUITE_P(ServedKeeper, KeeperBatchSuite, Served);

/// One of two that keep spaces together is this process.
struct Spread {
    [[nodiscard]] std::shared_ptr<space::Keeper> open() const { return door_to("harbour"); }

    TemporaryDirectory directory;
    EnvironmentVariable run_directory{"STAITHE_RUN_DIR", directory.path().c_str()};
    ChildProcess process{[] {
        const Server server({.name = "harbour", .group = {.rank = 1, .size = 2}});
        wait_for_death();
        return 0;
    }};
    Server server{{.name = "harbour", .group = {.rank = 0, .size = 2}}};
};
INSTANTIATE_TYPED_TEST_SUITE_P(SpreadKeeper, KeeperSuite, Spread);
INSTANTIATE_TYPED_TEST_SUITE_P(SpreadKeeper, KeeperLockSuite, Spread);
INSTANTIATE_TYPED_TEST_SUITE_P(SpreadKeeper, KeeperBatchSuite, Spread);

/// A server with another run directory, as on another host.
struct FarServed {
    static std::string free_place() {
        const auto listener = os::listen_at_port("127.0.0.1", 0).value();
        return "127.0.0.1:" + std::to_string(os::port_of(listener).value());
    }
    [[nodiscard]] std::shared_ptr<space::Keeper> open() const { return door_to(place); }

    TemporaryDirectory here, elsewhere;
    std::shared_ptr<const transport::Key> key =
        transport::Key::of_run_directory(here.path(), transport::Key::IfMissing::make).value();
    EnvironmentVariable key_file{"STAITHE_KEY_FILE", (here / "key").c_str()};
    EnvironmentVariable run_directory{"STAITHE_RUN_DIR", here.path().c_str()};
    std::string place = free_place();
    ChildProcess process{[this] {
        const EnvironmentVariable its_run_directory("STAITHE_RUN_DIR", elsewhere.path().c_str());
        const Server server({.name = "harbour", .listen = place});
        wait_for_death();
        return 0;
    }};
};
INSTANTIATE_TYPED_TEST_SUITE_P(FarServedKeeper, KeeperSuite, FarServed);
INSTANTIATE_TYPED_TEST_SUITE_P(FarServedKeeper, KeeperLockSuite, FarServed);
INSTANTIATE_TYPED_TEST_SUITE_P(FarServedKeeper, KeeperBatchSuite, FarServed);

TEST(SpaceLoans, ArePublishedOnceAndWhereTheyWereTaken) {
    Space space("campaign", {.server = ""});
    SpaceLoan loan = space.loan("x", {.dtype = Dtype::i32, .shape = Extents{3}});
    loan.data<std::int32_t>()[1] = 7;
    EXPECT_THROW(Space("another", {.server = ""}).publish(space.loan("y", {.dtype = Dtype::u8, .shape = Extents{1}})),
                 InvalidArgument);
    EXPECT_EQ(space.publish(std::move(loan)), 0);
    EXPECT_EQ(space.get("x").copy<std::int32_t>(), (std::vector<std::int32_t>{0, 7, 0}));
    EXPECT_THROW(space.publish(std::move(loan)), Closed);  // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(static_cast<void>(loan.array()), Closed);
    SpaceLock lock = space.lock("x", SpaceLockMode::write);
    SpaceLock moved = std::move(lock);
    EXPECT_THROW(lock.release(), Closed);  // NOLINT(bugprone-use-after-move)
    moved.release();
    EXPECT_THROW(moved.release(), Closed);
}

TEST(SpaceCalls, ThatAreNotWaitedForAreDoneInOrderAndEndWithTheSpace) {
    Space space("campaign", {.server = ""});
    auto early = space.get_async("x", {.version = 2});
    auto never = space.get_async("y", {.timeout = 1e6});
    std::vector<std::vector<double>> arrays;
    std::vector<std::future<std::int64_t>> puts;
    for (int i = 0; i < 3; ++i) {
        arrays.emplace_back(4, i);
    }
    for (const auto& array : arrays) {
        puts.push_back(space.put_async("x", view_of(array)));
    }
    for (std::int64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(puts[static_cast<std::size_t>(i)].get(), i);
    }
    EXPECT_EQ(early.get().copy<double>(), arrays[2]);
    EXPECT_THROW(space.get_async("x", {.version = 9, .timeout = 0}).get(), Timeout);
    space.close();
    EXPECT_THROW(never.get(), Closed);
}

TEST(SpaceCalls, AStopEndsOneOfThem) {
    const Space space("campaign", {.server = ""});
    std::stop_source stop;
    std::promise<std::future<SpaceArray>> told;
    space.get_async(
        "x", {.timeout = 1e6}, [&](std::future<SpaceArray> result) { told.set_value(std::move(result)); },
        stop.get_token());
    stop.request_stop();
    EXPECT_THROW(told.get_future().get().get(), Closed);
}

TEST(SpaceWatches, GiveEachVersionAndEndWithTheSpace) {
    Space space("campaign", {.server = ""});
    space.put("x", std::vector<double>(4, 0.0), {.version = 5});
    SpaceWatch all = space.watch("x", {.oldest = true}), later = space.watch("x", {.timeout = 0.01});
    EXPECT_EQ(all.next(), 5);
    EXPECT_THROW(static_cast<void>(later.next()), Timeout);
    space.put("x", std::vector<double>(4, 0.0), {.version = 3});
    EXPECT_EQ(all.next(), 3);
    EXPECT_EQ(later.next(), 3);
    space.close();
    EXPECT_EQ(all.next(), std::nullopt);
}

TEST(SpaceBatches, SendWhatIsLeftAndNameWhatWasRefused) {
    Space space("campaign", {.server = ""});
    SpaceBatch batch = space.batch();
    for (std::int64_t version = 0; version < 3000; ++version) {
        batch.put("x", std::vector<double>(8, static_cast<double>(version)), {.version = version});
    }
    EXPECT_LT(batch.pending(), 1024U);
    batch.send();
    EXPECT_EQ(batch.pending(), 0U);
    EXPECT_EQ(space.versions("x").size(), 3000U);
    batch.put("y", std::vector<double>(1 << 15, 2.0));  // too large to be sent with others
    EXPECT_EQ(space.get("y", {.timeout = 0}).version, 0);
    batch.put("x", std::vector<double>(8, 0.0), {.version = 7});
    batch.put("x", std::vector<double>(8, 1.0), {.version = 3000});
    EXPECT_THROW(batch.send(), AlreadyExists);
    ASSERT_EQ(batch.failures().size(), 1U);
    EXPECT_EQ(batch.failures()[0].place, 3001U);
    EXPECT_EQ(space.get("x", {.timeout = 0}).copy<double>(), std::vector<double>(8, 1.0));
    EXPECT_THROW(batch.put("x", std::vector<double>(8, 0.0), {.offset = Extents{1}, .shape = Extents{8}}),
                 InvalidArgument);
    space.close();
    EXPECT_THROW(batch.send(), Closed);
}

/// Several threads put while the log writes; the server ends with puts on their way, and another one begins.
TEST(PersistedSpaces, AreThereAgainAsTheyWereAcknowledged) {
    const TemporaryDirectory run_directory, kept;
    const EnvironmentVariable chosen("STAITHE_RUN_DIR", run_directory.path().c_str());
    std::map<std::string, std::int64_t> acknowledged;  // of each variable its newest version
    for (int life = 0; life < 3; ++life) {
        std::optional<Server> server(std::in_place, ServerOptions{.name = "harbour", .spill = kept.path()});
        Space space("campaign", {.server = "harbour"});
        for (const auto& [variable, version] : acknowledged) {
            ASSERT_EQ(space.get(variable, {.version = version}).copy<std::int64_t>(), std::vector(5, version));
            EXPECT_EQ(space.get(variable, {.version = version}).attributes.at("life"), Value(life - 1));
        }
        std::array<std::atomic<std::int64_t>, 3> puts{};
        std::vector<std::future<std::int64_t>> putting;
        for (std::size_t i = 0; i < puts.size(); ++i) {
            putting.push_back(std::async(std::launch::async, [&space, &puts, i, life] {
                const std::string variable(1, static_cast<char>('a' + i));
                space.keep(variable, {.versions = 3});
                std::int64_t version = 1'000'000 * life;
                try {
                    for (;; ++version) {
                        space.put(variable, std::vector(5, version),
                                  {.version = version, .attributes = {{"life", life}}, .persist = true});
                        ++puts[i];
                    }
                } catch (const Error& error) {
                    EXPECT_EQ(error.code(), ErrorCode::not_found) << error.what();  // its process still lives
                }
                return version - 1;
            }));
        }
        while (std::ranges::any_of(puts, [](const auto& count) { return count < 10; })) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        server.reset();
        for (std::size_t i = 0; i < putting.size(); ++i) {
            acknowledged[std::string(1, static_cast<char>('a' + i))] = putting[i].get();
        }
    }
}

TEST(ServedKeeper, ASecondServerOfAProcessTakesNothingForTheFirstOnes) {
    const TemporaryDirectory directory;
    const EnvironmentVariable run_directory("STAITHE_RUN_DIR", directory.path().c_str());
    const Writer out("other", {.readers = 0});  // so that the process is reached all the time, and the link stays
    const auto put = [](const std::string& server, double value) {
        Space space("campaign", {.server = server});
        space.put("x", std::vector<double>(8, value), {.version = 0});
        return space.get("x");
    };
    auto first = std::make_unique<Server>(ServerOptions{.name = "harbour"});
    const SpaceArray held = put("harbour", 1);
    first = nullptr;
    const Server second({.name = "harbour"});
    EXPECT_EQ(put("harbour", 2).copy<double>(), std::vector<double>(8, 2));
    EXPECT_EQ(held.copy<double>(), std::vector<double>(8, 1));
}

}  // namespace
}  // namespace staithe::testing
