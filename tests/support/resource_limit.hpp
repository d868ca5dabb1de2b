// A limit of the system that this process has while a test runs, such as that of the size of files.
#pragma once

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace staithe::testing {

class ResourceLimit {
  public:
    ResourceLimit(__rlimit_resource resource, rlim_t most) : resource_(resource) {
        EXPECT_EQ(::getrlimit(resource_, &before_), 0);
        const rlimit limit{most, before_.rlim_max};
        EXPECT_EQ(::setrlimit(resource_, &limit), 0);
    }
    ~ResourceLimit() { EXPECT_EQ(::setrlimit(resource_, &before_), 0); }
    ResourceLimit(const ResourceLimit&) = delete;
    ResourceLimit& operator=(const ResourceLimit&) = delete;

  private:
    const __rlimit_resource resource_;
    rlimit before_{};
};

}  // namespace staithe::testing
