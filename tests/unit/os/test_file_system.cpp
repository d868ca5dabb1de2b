#include "os/file_system.hpp"

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace staithe::os {
namespace {

TEST(FileSystem, WhatIsOfThisHostAloneIsNotShared) {
    EXPECT_FALSE(may_be_shared_between_hosts(testing::TemporaryDirectory().path()));
    for (const char* path : {"/proc", "/dev/shm", "/does/not/exist"}) {
        EXPECT_FALSE(may_be_shared_between_hosts(path)) << path;
    }
}

}  // namespace
}  // namespace staithe::os
