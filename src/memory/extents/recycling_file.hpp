// Extents in a file that nobody else extends, whose ranges are used again: where a file system has little room, or
// makes no holes in files, a file does not grow for ever.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "memory/extent_source.hpp"
#include "memory/free_list.hpp"
#include "os/shared_memory.hpp"

namespace staithe::memory {

class RecyclingFile final : public ExtentSource {
  public:
    explicit RecyclingFile(os::FileDescriptor file) : file_(std::move(file)) { free_.add_extent({0, all}); }

    base::Result<Extent> make(std::int64_t length) override;
    void give_back(const Extent& extent) override;
    [[nodiscard]] const os::FileDescriptor& file() const override { return file_; }

  private:
    static constexpr std::int64_t all = std::int64_t{1} << 60;  // no file has as many bytes

    base::Result<os::Mapping> map(Range range) const;

    const os::FileDescriptor file_;
    std::mutex mutex_;
    FreeList free_;                                 // the end of the file, and beyond, is free, too
    std::map<std::int64_t, os::Mapping> mappings_;  // by offset
};

}  // namespace staithe::memory
