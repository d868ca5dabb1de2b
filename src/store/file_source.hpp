// Blocks in a file: read, not mapped, because whoever writes the file may make it shorter at any time, and touching
// mapped bytes that are gone ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "store/reading_source.hpp"
#include "transport/pool_file.hpp"

namespace staithe::store {

class FileSource final : public ReadingSource {
  public:
    explicit FileSource(std::shared_ptr<transport::PoolFile> file) : file_(std::move(file)) {}

  private:
    base::Result<> read(const BlockRef& ref, std::int64_t first, std::span<std::byte> destination) override {
        return file_->read_part({ref.offset, ref.bytes, first}, destination);
    }

    const std::shared_ptr<transport::PoolFile> file_;
};

}  // namespace staithe::store
