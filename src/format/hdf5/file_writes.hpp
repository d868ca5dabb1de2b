// What a writer of an HDF5 file writes, before the headers that lead to it.
//
// Elements are written behind the writer's back. A file system locks a file that grows, and one that something goes to
// through its cache: so the file grows ahead, and what is small is gathered until all else is written.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "format/chunk_bytes.hpp"
#include "format/hdf5/image.hpp"
#include "format/writes_behind.hpp"
#include "os/file_descriptor.hpp"
#include "os/fork.hpp"

namespace staithe::format::hdf5 {

class FileWrites {
  public:
    /// Of a file whose superblock names that end.
    FileWrites(os::FileDescriptor file, Address end) : file_(std::move(file)), kept_(end) {}
    /// The file ends where its superblock says.
    ~FileWrites();
    FileWrites(const FileWrites&) = delete;
    FileWrites& operator=(const FileWrites&) = delete;

    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }
    /// Of steps it is told how that went.
    [[nodiscard]] WritesBehind& steps() { return *behind_; }

    base::Result<> write(Address address, const BytesToStore& bytes);
    base::Result<> write(Address address, std::span<const std::byte> bytes) {
        return write(address, BytesToStore{bytes, nullptr});
    }
    /// The disk has all of it, of a file that does not end before that.
    base::Result<> synchronise(Address end);
    /// What was written from there on is room for others.
    void give_back(Address end);
    /// The superblock names this end, or may do so.
    void keep(Address end) { kept_ = end; }

  private:
    base::Result<> grow(Address end);
    void gather(Address address, std::span<const std::byte> bytes);
    base::Result<> write_gathered();

    const os::Home home_;
    const os::FileDescriptor file_;
    Address size_ = 0;  // that the file was made
    Address kept_;
    std::map<Address, std::vector<std::byte>> gathered_;  // none of which overlaps or touches another one
    std::size_t bytes_gathered_ = 0;
    const std::shared_ptr<WritesBehind> behind_ = os::kept_at_home(new WritesBehind());
};

}  // namespace staithe::format::hdf5
