// Who keeps spaces: this process itself; a server, which is this process, too; and one that is reached over TCP only.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <staithe/server.hpp>
#include <staithe/space.hpp>
#include <staithe/writer.hpp>

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

struct Served {
    [[nodiscard]] std::shared_ptr<space::Keeper> open() const { return door_to("harbour"); }

    TemporaryDirectory directory;
    EnvironmentVariable run_directory{"STAITHE_RUN_DIR", directory.path().c_str()};
    Server server{{.name = "harbour"}};
};
INSTANTIATE_TYPED_TEST_SUITE_P(ServedKeeper, KeeperSuite, Served);
INSTANTIATE_TYPED_TEST_SUITE_P(ServedKeeper, KeeperLockSuite, Served);

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
