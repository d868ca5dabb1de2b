// The files of a store that are written, until the disk has them.
//
// Chunks are written behind the writer's back, and their files made there: that takes as long as writing a million
// bytes. Files are synchronised together, which a file system does for most of its part once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/chunk_bytes.hpp"
#include "format/writes_behind.hpp"
#include "os/file_descriptor.hpp"
#include "os/fork.hpp"

namespace staithe::format::zarr {

class WrittenFiles {
  public:
    /// What is written to a file.
    struct Write {
        std::string folder;
        std::string name;
        std::int64_t offset = 0;  // 0: the file begins anew
        std::int64_t size = 0;    // of all that will be in the file, where that is known
    };
    /// If the bytes are kept, soon: then of steps it is told how that went.
    base::Result<> write(const Write& where, const BytesToStore& bytes);
    base::Result<> write(const Write& where, std::span<const std::byte> bytes);
    [[nodiscard]] WritesBehind& steps() { return *writes_; }

    /// The draft of a file takes its place.
    base::Result<> put_in_place(const std::string& folder, const std::string& name);
    /// All files, those that are still written included, are on the disk. If it fails, it does so from then on: a file
    /// that could not be synchronised may be taken for one that was when it is tried again.
    base::Result<> synchronise();

    /// How many were begun.
    [[nodiscard]] std::size_t begun() const { return begun_.size(); }
    /// The disk may be full: those from that one on are room for others.
    void give_back(std::size_t from);
    /// Those that were begun stay.
    void keep() { begun_.clear(); }
    /// What became of files before is of no more interest.
    void forget();

  private:
    /// Made by whoever writes to it first.
    struct File {
        explicit File(bool begins) : begins(begins) {}
        const bool begins;  // anew: what lies there is of a step that failed
        std::mutex mutex;   // of what follows
        os::FileDescriptor descriptor{};
    };
    static base::Result<> open(File& file, const std::string& path);
    static base::Result<> write_to(File& file, const std::string& path, const Write& where,
                                   std::span<const std::byte> bytes, os::DirectWrites& direct);
    base::Result<std::shared_ptr<File>> begin(const Write& where, const std::string& path);

    std::map<std::string, std::shared_ptr<File>> files_;  // that may not be on disk
    std::set<std::string> folders_;                       // likewise
    base::Result<> synchronised_{};                       // of other files
    std::vector<std::string> begun_;
    os::DirectWrites direct_;
    const std::shared_ptr<WritesBehind> writes_ = os::kept_at_home(new WritesBehind());
};

}  // namespace staithe::format::zarr
