// Programs that fork with streams open: the child harms nothing of its parent's, and does not hide its death.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <staithe/staithe.hpp>

#include "support/child_process.hpp"
#include "support/sanitizers.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class ForkedStreamTest : public StreamTest {
  protected:
    /// Forks this very process, threads, streams and all; the child ends with what `body` returns.
    static int in_forked_child(const std::function<bool()>& body) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(30);
            bool good = false;
            try {
                good = body();
            } catch (const std::exception& error) {
                std::fprintf(stderr, "forked child: %s\n", error.what());
            }
            ::_exit(good ? 0 : 1);
        }
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return status;
    }
    template <class Call>
    static bool is_closed(Call&& call) {
        try {
            call();
        } catch (const Closed& error) {
            return std::string(error.what()).find("fork") != std::string::npos;
        }
        return false;
    }
};

TEST_F(ForkedStreamTest, ChildCannotUseItsParentsStreamsAndIsTold) {
    Writer out("s");
    Reader in("s");
    WriteStep step = out.begin_step();
    const std::vector<double> values{1.0};
    EXPECT_EQ(in_forked_child([&] {
                  return is_closed([&] { static_cast<void>(out.begin_step()); }) &&
                         is_closed([&] { step.put("x", std::span<const double>(values)); }) &&
                         is_closed([&] { static_cast<void>(step.loan("x", Dtype::f64, {1})); }) &&
                         is_closed([&] { step.end(); }) && is_closed([&] { step.abandon(); }) &&
                         is_closed([&] { out.close(); }) && is_closed([&] { static_cast<void>(in.next()); }) &&
                         is_closed([&] { in.close(); });
              }),
              0);
    step.put("x", std::span<const double>(values));
    step.end();
    EXPECT_EQ(in.next().value().variable("x").read<double>(), values);
}

TEST_F(ForkedStreamTest, ChildThatEndsEverythingEndsNothingOfItsParents) {
    auto out = std::make_unique<Writer>("s");
    auto in = std::make_unique<Reader>("s");
    write_steps(*out, 2);
    auto held = std::make_unique<ReadStep>(in->next().value());
    auto writing = std::make_unique<WriteStep>(out->begin_step());
    auto loan = std::make_unique<Loan>(writing->loan("y", Dtype::f64, {1 << 16}));
    EXPECT_EQ(in_forked_child([&] {
                  expect_intact(*held);  // what it could see it sees still
                  loan.reset();
                  writing.reset();
                  held.reset();
                  in.reset();
                  out.reset();
                  return true;
              }),
              0);
    EXPECT_EQ(stream_names(), std::vector<std::string>{"s"});
    EXPECT_EQ(in->statistics().pinned, 1);
    expect_intact(*held);
    loan->data<double>()[0] = 5.0;
    writing->publish(std::move(*loan));
    writing->end();
    expect_intact(in->next().value());
    EXPECT_EQ(in->next().value().index(), 2);
    out->close();
    EXPECT_FALSE(in->next());
}

TEST_F(ForkedStreamTest, ReaderInAnotherProcessNoticesNothing) {
    const Signal joined;
    const Signal forked;
    ChildProcess reading([&] {
        Reader in("s");
        joined.give();
        EXPECT_EQ(read_to_end(in), first_numbers(20));
        return 0;
    });
    Writer out("s");
    joined.await();
    for (int i = 0; i < 20; ++i) {
        if (i % 5 == 0) {
            EXPECT_EQ(in_forked_child([&] {
                          Writer copy(std::move(out));
                          return true;
                      }),
                      0);
        }
        write_step(out);
    }
    out.close();
    EXPECT_EQ(reading.wait(), 0);
}

/// A process that forks another, which lives until it is told to end, and then is killed.
class KilledParent {
  public:
    explicit KilledParent(const std::function<void()>& body)
        : parent_([&] {
              body();
              if (::fork() == 0) {
                  ::alarm(60);
                  child_lives_.give();
                  end_.await();
                  ::_exit(0);
              }
              child_lives_.await();
              ready_.give();
              ::pause();
              return 0;
          }) {
        ready_.await();
    }
    ~KilledParent() { end_.give(); }
    void kill() { parent_.kill(); }

  private:
    Signal child_lives_, ready_, end_;
    ChildProcess parent_;
};

TEST_F(ForkedStreamTest, DeathOfAWriterIsNoticedThoughItsChildLives) {
    std::unique_ptr<Writer> out;  // until the process dies
    KilledParent writer([&] {
        out = std::make_unique<Writer>("s");
        write_steps(*out, 3);
    });
    Reader in("s", {.timeout = 30.0});
    writer.kill();
    for (int i = 0; i < 3; ++i) {
        expect_intact(in.next().value());
    }
    const auto began = std::chrono::steady_clock::now();
    EXPECT_THROW(static_cast<void>(in.next()), PeerLost);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20)) << "not at the timeout";
    EXPECT_TRUE(stream_names().empty());
}

TEST_F(ForkedStreamTest, DeathOfAReaderIsNoticedThoughItsChildLives) {
    const Signal opened;
    const Signal dead;
    ChildProcess writing([&] {
        Writer out("s", {.queue_steps = 2});
        opened.give();
        write_steps(out, 2);
        dead.await();
        write_steps(out, 5);  // the credit of the dead reader is back
        out.close();
        return 0;
    });
    std::unique_ptr<Reader> in;
    std::unique_ptr<ReadStep> held;
    KilledParent reader([&] {
        opened.await();
        in = std::make_unique<Reader>("s");
        held = std::make_unique<ReadStep>(in->next().value());
    });
    reader.kill();
    dead.give();
    EXPECT_EQ(writing.wait(), 0);
}

TEST_F(ForkedStreamTest, ChildOpensStreamsOfItsOwn) {
    if (!forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    Writer out("parents", {.readers = 0});
    Reader in("parents");
    EXPECT_EQ(in_forked_child([&] {
                  if (usage().memory != 0 || usage().connections != 0) {
                      return false;  // what the parent holds is not the child's
                  }
                  Reader from_parent("parents");
                  Writer own("childs");
                  Reader of_own("childs");
                  write_steps(own, 3);
                  own.close();
                  return read_to_end(of_own) == first_numbers(3);
              }),
              0);
    write_step(out);
    expect_intact(in.next().value());
    EXPECT_EQ(stream_names(), std::vector<std::string>{"parents"});
}

TEST_F(ForkedStreamTest, ProgramThatIsExecutedInheritsNothing) {
    const Writer out("s", {.readers = 0});
    const Reader in("s");
    std::FILE* list = ::popen("ls -l /proc/self/fd", "re");
    ASSERT_NE(list, nullptr);
    std::string output;
    std::array<char, 512> line{};
    while (std::fgets(line.data(), line.size(), list) != nullptr) {
        output += line.data();
    }
    EXPECT_EQ(::pclose(list), 0);
    EXPECT_EQ(output.find("memfd:staithe"), std::string::npos) << output;
    EXPECT_EQ(output.find("eventpoll"), std::string::npos) << output;
    EXPECT_EQ(output.find("socket:"), std::string::npos) << output;
}

}  // namespace
}  // namespace staithe
