// A file of blocks with checksums: what was changed on the disk is an error, and is not taken for data.
//
// Behind each block lie the checksums of its stretches, so that whoever reads a part of it checks that part, and no
// index grows by them: docs/formats/spilled_blocks.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "store/block_ref.hpp"
#include "transport/pool_file.hpp"

namespace staithe::store {

/// What a block of so many bytes takes in such a file.
[[nodiscard]] std::int64_t size_with_checksums(std::int64_t bytes);

/// Puts a block in its place in such a file, which has room for all of it, and its checksums behind it. The bytes may
/// be those that lie there already.
void write_with_checksums(std::byte* place, const BlockRef& ref, const std::byte* bytes);

class CheckedFile final : public transport::PoolFile {
  public:
    /// `whose` is for people: "server 'staithe'".
    CheckedFile(os::FileDescriptor file, std::string whose)
        : transport::PoolFile(std::move(file)), whose_(std::move(whose)) {}

    /// `protocol`, too, if what is there is not what was written.
    base::Result<> read_part(const transport::FilePart& part, std::span<std::byte> destination) const override;

  private:
    const std::string whose_;
};

}  // namespace staithe::store
