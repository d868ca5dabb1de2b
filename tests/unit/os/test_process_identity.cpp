#include "os/process_identity.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "os/process.hpp"
#include "support/child_process.hpp"

namespace staithe::os {
namespace {

using testing::ChildProcess;
using testing::Signal;

TEST(ProcessIdentity, OfThisProcess) {
    const ProcessIdentity own = this_process();
    EXPECT_EQ(own.pid, ::getpid());
    EXPECT_EQ(own.start_time, start_time_of(own.pid).value());
    EXPECT_EQ(own.boot.size(), 8U);
    EXPECT_GT(own.pid_namespace, 0U);
    EXPECT_EQ(identity_of(own.pid).value(), own);
    EXPECT_EQ(life_of(own), Life::alive);
}

TEST(ProcessIdentity, OfAChildIsItsOwn) {
    ProcessIdentity own = this_process();
    ChildProcess child([&] {
        const ProcessIdentity mine = this_process();
        return mine.pid == ::getpid() && mine.boot == own.boot && mine.pid_namespace == own.pid_namespace ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST(ProcessIdentity, TellsWhetherTheProcessLives) {
    const Signal go;
    ChildProcess child([&] {
        go.await();
        return 0;
    });
    const ProcessIdentity childs = identity_of(child.pid()).value();
    EXPECT_EQ(life_of(childs), Life::alive);
    ProcessIdentity earlier = childs;
    --earlier.start_time;
    EXPECT_EQ(life_of(earlier), Life::gone) << "its pid was used again";
    go.give();
    static_cast<void>(child.wait());
    EXPECT_EQ(life_of(childs), Life::gone);
    EXPECT_EQ(identity_of(childs.pid).error().code, ErrorCode::not_found);
    ProcessIdentity without_time = childs;
    without_time.start_time = 0;
    EXPECT_EQ(life_of(without_time), Life::gone);
}

TEST(ProcessIdentity, OfElsewhereTellsNothing) {
    ProcessIdentity of_another_host = this_process();
    of_another_host.boot = "00000001";
    EXPECT_EQ(life_of(of_another_host), Life::unknown);
    ProcessIdentity of_another_namespace = this_process();
    ++of_another_namespace.pid_namespace;
    EXPECT_EQ(life_of(of_another_namespace), Life::unknown);
}

TEST(ProcessIdentity, StandsInNamesOfFiles) {
    const ProcessIdentity process{"3f9a1c2e", 4026531836, 4711, 918273};
    EXPECT_EQ(to_string(process), "4711.918273.3f9a1c2e-4026531836");
    for (const std::string& file :
         {fmt::format("{}.socket", to_string(process)), fmt::format("melt.0.{}.waiting", to_string(process)),
          fmt::format("a.b.c.{}.new", to_string(process))}) {
        EXPECT_EQ(owner_of(file), process) << file;
    }
    for (const char* file :
         {"", "notes.txt", "x.socket", ".socket", "4711.918273.socket", "4711.918273.3f9a1c2e.socket",
          "4711.918273.3f9a1c2e-.socket", "4711.918273.-4026531836.socket", "0.918273.3f9a1c2e-4026531836.socket",
          "9999999999.3.3f9a1c2e-4026531836.socket", "x.3.3f9a1c2e-4026531836.socket",
          "4711.x.3f9a1c2e-4026531836.socket", "4711.3.3f9a1c2-4026531836.socket", "4711.918273.3f9a1c2e-4026531836",
          "918273.3f9a1c2e-4026531836.socket"}) {
        EXPECT_FALSE(owner_of(file)) << file;
    }
}

}  // namespace
}  // namespace staithe::os
