// Extents one after the other in a file that nobody else extends.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "memory/extent_source.hpp"
#include "os/shared_memory.hpp"

namespace staithe::memory {

class GrowingFile final : public ExtentSource {
  public:
    explicit GrowingFile(os::FileDescriptor file) : file_(std::move(file)) {}

    base::Result<Extent> make(std::int64_t length) override;
    void give_back(const Extent& extent) override;
    [[nodiscard]] const os::FileDescriptor& file() const override { return file_; }

  private:
    std::int64_t reserve(std::int64_t length);

    const os::FileDescriptor file_;
    std::mutex mutex_;
    std::int64_t end_ = 0;
    std::map<std::int64_t, os::Mapping> mappings_;  // by offset
};

}  // namespace staithe::memory
