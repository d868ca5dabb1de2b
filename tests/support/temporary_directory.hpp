// A directory of a test's own, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace staithe::testing {

class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        path_ = (std::filesystem::temp_directory_path() / "staithe-test-XXXXXX").string();
        EXPECT_NE(::mkdtemp(path_.data()), nullptr);
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

}  // namespace staithe::testing
