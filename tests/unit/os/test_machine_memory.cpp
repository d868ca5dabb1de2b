// Limits of control groups, as files say them.
#include "os/machine_memory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace staithe::os {
namespace {

class MachineMemoryTest : public ::testing::Test {
  protected:
    void write(const std::string& name, const std::string& content) const {
        const std::filesystem::path path = top() + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << content << '\n';
    }
    MachineMemory found() const { return machine_memory(top() + "/own", top()); }
    std::string top() const { return directory_.path(); }

  private:
    testing::TemporaryDirectory directory_;
};

TEST_F(MachineMemoryTest, WithoutGroupsIsAllOfTheMachine) {
    EXPECT_GT(found().bytes, 1 << 20);
    EXPECT_EQ(found().of, "this machine");
    EXPECT_LE(machine_memory().bytes, found().bytes);
}

TEST_F(MachineMemoryTest, IsTheLeastOfAGroupAndThoseAround) {
    write("own", "0::/job/step/task");
    write("job/step/task/memory.max", "max");
    write("job/step/memory.max", "2000000");
    write("job/memory.max", "3000000");
    EXPECT_EQ(found().bytes, 2000000);
    EXPECT_EQ(found().of, top() + "/job/step");
    write("memory.max", "1000000");
    EXPECT_EQ(found().bytes, 1000000);
    EXPECT_EQ(found().of, top());
}

TEST_F(MachineMemoryTest, KnowsGroupsOfBothVersions) {
    write("own", "5:cpu,memory:/job\n4:memoryless:/other\n0::/");
    write("memory/job/memory.limit_in_bytes", "3000000");
    write("memory/memory.limit_in_bytes", "9223372036854771712");  // what stands for no limit there
    write("memory/other/memory.limit_in_bytes", "5");
    EXPECT_EQ(found().bytes, 3000000);
}

TEST_F(MachineMemoryTest, FindsGroupsThatAContainerSeesAtTheTop) {
    write("own", "0::/pods/container/job");
    write("job/memory.max", "2000000");
    EXPECT_EQ(found().of, top() + "/job");
    write("own", "0::/pods/container");
    write("memory.max", "3000000");
    EXPECT_EQ(found().bytes, 3000000);
}

TEST_F(MachineMemoryTest, WhatItCannotReadSaysNothing) {
    write("own", "nonsense\n:\n::\n0::/job\n1:memory:relative");
    write("job/memory.max", "many");
    EXPECT_EQ(found().of, "this machine");
}

}  // namespace
}  // namespace staithe::os
