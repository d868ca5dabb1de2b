// Programs of different users: who has the key is served like anyone; who has not is refused, and both sides say so.
//
// Needs root, to become other users.
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <staithe/staithe.hpp>

#include "os/socket.hpp"
#include "support/child_process.hpp"
#include "support/stream_test.hpp"
#include "transport/endpoint.hpp"
#include "transport/frame.hpp"
#include "transport/keyed_challenge.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

constexpr uid_t writers_user = 65533;
constexpr uid_t readers_user = 65534;
constexpr gid_t common_group = 65532;
constexpr std::int64_t steps = 5;
constexpr std::int64_t written_values = 100'000;

const std::string a_key(64, 'a');
const std::string another_key(64, 'b');

class OtherUsersTest : public StreamTest {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "becoming another user takes root";
        }
        ASSERT_EQ(::chown(run_directory().c_str(), writers_user, common_group), 0);
        ASSERT_EQ(::chmod(run_directory().c_str(), 02770), 0);
        ASSERT_EQ(::chmod(keys_.path().c_str(), 0711), 0);
    }

    /// A process of that user, with its own copy of the key, if any.
    std::unique_ptr<ChildProcess> as(uid_t user, const std::string& key, const std::function<int()>& body) {
        const std::string file = keys_ / std::to_string(user);
        if (!key.empty()) {
            std::ofstream(file, std::ios::trunc) << key << "\n";
            EXPECT_EQ(::chown(file.c_str(), user, common_group), 0);
            EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
        }
        return std::make_unique<ChildProcess>([&, user] {
            ::umask(077);
            if (!key.empty()) {
                ::setenv("STAITHE_KEY_FILE", file.c_str(), 1);
            }
            EXPECT_EQ(::setgroups(0, nullptr), 0);
            EXPECT_EQ(::setresgid(common_group, common_group, common_group), 0);
            EXPECT_EQ(::setresuid(user, user, user), 0);
            EXPECT_EQ(::prctl(PR_SET_DUMPABLE, 1), 0);  // else /proc/self stays root's
            return body();
        });
    }

    std::unique_ptr<ChildProcess> writer(uid_t user, const std::string& key) {
        auto process = as(user, key, [&] {
            Writer out("s");
            opened_.give();
            write_steps(out, steps, written_values);
            out.close();
            return 0;
        });
        opened_.await();
        return process;
    }
    std::unique_ptr<ChildProcess> reader(uid_t user, const std::string& key) {
        return as(user, key, [] {
            Reader in("s");
            EXPECT_EQ(read_to_end(in), first_numbers(steps));
            return 0;
        });
    }
    /// A reader that is refused with a message that has these words.
    std::unique_ptr<ChildProcess> refused_reader(uid_t user, const std::string& key,
                                                 const std::vector<std::string>& words) {
        return as(user, key, [words] {
            try {
                const Reader in("s", {.timeout = 2.0});
                ADD_FAILURE() << "it was let in";
            } catch (const SystemFailure& error) {
                for (const std::string& word : words) {
                    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
                }
            }
            return 0;
        });
    }
    [[nodiscard]] std::string socket_of(const ChildProcess& process) const {
        return transport::Endpoint::name_of_socket(process.pid()).value();
    }

  private:
    TemporaryDirectory keys_;
    Signal opened_;
};

TEST_F(OtherUsersTest, ThoseWithTheSameKeyShareStreams) {
    const auto writing = writer(writers_user, a_key);
    const auto reading = reader(readers_user, a_key);
    EXPECT_EQ(reading->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
    EXPECT_TRUE(std::filesystem::is_empty(run_directory()));
}

TEST_F(OtherUsersTest, EitherOfThemMayWrite) {
    const auto writing = writer(readers_user, a_key);
    const auto reading = reader(writers_user, a_key);
    EXPECT_EQ(reading->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
}

TEST_F(OtherUsersTest, AnotherKeyIsRefusedAndTheRightOneServedAfterwards) {
    const auto writing = writer(writers_user, a_key);
    EXPECT_EQ(refused_reader(readers_user, another_key,
                             {"of user 65533", "does not prove that it has the key of STAITHE_KEY_FILE"})
                  ->wait(),
              0);
    EXPECT_EQ(reader(readers_user, a_key)->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
}

TEST_F(OtherUsersTest, WithoutAKeyADirectoryOfAGroupIsNotEntered) {
    const auto writing = writer(writers_user, a_key);
    EXPECT_EQ(refused_reader(readers_user, "", {"only this user can enter", "STAITHE_KEY_FILE"})->wait(), 0);
    EXPECT_EQ(reader(readers_user, a_key)->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
}

TEST_F(OtherUsersTest, ReaderOfTheSameUserNeedsNoKeyOfItsOwn) {
    const auto writing = writer(writers_user, a_key);
    // With the key the directory is entered; the socket asks for no proof, since the user is the same.
    EXPECT_EQ(reader(writers_user, another_key)->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
}

TEST_F(OtherUsersTest, NobodyElseCanOpenAReadersPoolForWriting) {
    const auto writing = writer(writers_user, a_key);
    const auto reading = as(readers_user, a_key, [] {
        Reader in("s");
        const auto step = in.next();
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code gone;
            const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
            if (target.find("memfd:staithe:s ") != std::string::npos) {
                EXPECT_LT(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC), 0) << target;
            }
        }
        return 0;
    });
    EXPECT_EQ(reading->wait(), 0);
}

/// A socket that says what it likes, of root: another user as well.
class StrangeUser {
  public:
    StrangeUser(const std::string& directory, const std::string& socket)
        : socket_(os::connect_to(directory, socket).value()) {}
    void say(const Attributes& body) const {
        const auto frame = transport::encode_frame(body, 0).value();
        static_cast<void>(os::send_some(socket_, frame, {}));
    }
    /// The next message; nothing once the connection ends.
    std::optional<Attributes> hear() {
        for (;;) {
            if (auto packet = decoder_.next().value()) {
                return std::move(packet->body);
            }
            pollfd readable{socket_.get(), POLLIN, 0};
            EXPECT_EQ(::poll(&readable, 1, 20'000), 1) << "no answer";
            std::array<std::byte, 4096> buffer{};
            auto received = os::receive_some(socket_, buffer).value();
            if (received.bytes == 0) {
                return std::nullopt;
            }
            decoder_.feed(std::span(buffer).first(received.bytes), std::move(received.descriptors));
        }
    }

  private:
    os::FileDescriptor socket_;
    transport::FrameDecoder decoder_;
};

std::string text(const std::optional<Attributes>& message, const std::string& name) {
    return message ? transport::text_of(*message, name) : "";
}

TEST_F(OtherUsersTest, NothingIsAnsweredBeforeTheProof) {
    const auto writing = writer(writers_user, a_key);
    for (const Attributes& attempt : {
             Attributes{{"id", 1}, {"service", "s"}, {"type", "describe"}},
             Attributes{{"id", 1}, {"protocol", 1}, {"program", "p"}, {"host", "h"}},
             Attributes{{"id", 1}, {"proof", std::string(64, '0')}},
             Attributes{{"service", "s"}, {"type", "leave"}, {"member", 1}},
         }) {
        StrangeUser stranger(run_directory(), socket_of(*writing));
        stranger.say(attempt);
        const auto answer = stranger.hear();
        ASSERT_TRUE(answer);
        EXPECT_NE(find(*answer, "refused"), nullptr);
        EXPECT_EQ(find(*answer, "reply"), nullptr);
        EXPECT_FALSE(stranger.hear()) << "the connection ends";
    }
    EXPECT_EQ(reader(readers_user, a_key)->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
}

TEST_F(OtherUsersTest, ProofThatWasSentBackOrMadeUpOpensNothing) {
    const auto writing = writer(writers_user, a_key);
    for (const bool send_back : {true, false}) {
        StrangeUser stranger(run_directory(), socket_of(*writing));
        stranger.say({{"id", 1}, {"challenge", std::string(64, '7')}});
        const auto answer = stranger.hear();
        EXPECT_EQ(text(answer, "challenge").size(), 64U);
        stranger.say({{"id", 2}, {"proof", send_back ? text(answer, "proof") : std::string(64, '0')}});
        const auto refusal = stranger.hear();
        ASSERT_TRUE(refusal);
        EXPECT_NE(find(*refusal, "refused"), nullptr);
    }
    EXPECT_EQ(reader(readers_user, a_key)->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
}

TEST_F(OtherUsersTest, SilentStrangersDoNotKeepOthersOut) {
    const auto writing = writer(writers_user, a_key);
    std::vector<std::unique_ptr<StrangeUser>> silent;
    for (int i = 0; i < 100; ++i) {
        silent.push_back(std::make_unique<StrangeUser>(run_directory(), socket_of(*writing)));
    }
    EXPECT_NE(text(silent.front()->hear(), "message").find("have not proved yet"), std::string::npos);
    EXPECT_EQ(reader(readers_user, a_key)->wait(), 0);
    EXPECT_EQ(writing->wait(), 0);
}

TEST_F(OtherUsersTest, ProcessInBetweenThatPassesEverythingOnIsFoundOut) {
    const auto writing = writer(writers_user, a_key);
    const std::string name = run_directory() + "/" + socket_of(*writing);
    std::filesystem::rename(name, run_directory() + "/original");
    const os::FileDescriptor relay = os::listen_at(run_directory(), socket_of(*writing)).value();
    ASSERT_EQ(::chown(name.c_str(), writers_user, common_group), 0);
    const auto reading =
        refused_reader(readers_user, a_key, {"process " + std::to_string(::getpid()) + " of user 0", "does not prove"});
    pollfd calls{relay.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&calls, 1, 20'000), 1);
    const os::FileDescriptor caller = os::accept_from(relay).value();
    const os::FileDescriptor listener = os::connect_to(run_directory(), "original").value();
    const auto pass_on = [](const os::FileDescriptor& from, const os::FileDescriptor& to) {
        pollfd readable{from.get(), POLLIN, 0};
        EXPECT_EQ(::poll(&readable, 1, 20'000), 1);
        std::array<std::byte, 4096> buffer{};
        const auto received = os::receive_some(from, buffer).value();
        static_cast<void>(os::send_some(to, std::span(buffer).first(received.bytes), {}));
        return std::string(reinterpret_cast<const char*>(buffer.data()), received.bytes);
    };
    EXPECT_NE(pass_on(caller, listener).find("challenge"), std::string::npos);
    EXPECT_NE(pass_on(listener, caller).find("proof"), std::string::npos);
    EXPECT_NE(pass_on(caller, listener).find("refused"), std::string::npos);
    EXPECT_EQ(reading->wait(), 0);
}

}  // namespace
}  // namespace staithe
