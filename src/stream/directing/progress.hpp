// How far a stream has come: a small file in the run directory that outlives a writer which is killed, so that the next
// one can continue (docs/formats/progress_file.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "os/shared_memory.hpp"

namespace staithe::stream {

class Progress {
  public:
    /// Makes the stream's file, or takes the one that is there. The stream's name must be this process's already.
    /// Unless `resume`, what an earlier writer left is forgotten.
    static base::Result<std::unique_ptr<Progress>> open(const std::string& run_directory, const std::string& stream,
                                                        bool resume);

    /// The number of the step after the last published one.
    [[nodiscard]] std::int64_t next_step() const;
    /// One store: it is in the file even if this process is killed right afterwards.
    void set_next_step(std::int64_t step);
    /// The stream has come to its end: nothing to continue.
    void remove();

  private:
    struct Content {
        std::uint32_t magic;
        std::uint32_t format;
        std::atomic<std::int64_t> next_step;
    };
    static_assert(sizeof(Content) == 16 && std::atomic<std::int64_t>::is_always_lock_free);

    Progress(std::string path, os::Mapping mapping) : path_(std::move(path)), mapping_(std::move(mapping)) {}
    [[nodiscard]] Content& content() const { return *reinterpret_cast<Content*>(mapping_.data()); }

    const std::string path_;
    const os::Mapping mapping_;
};

}  // namespace staithe::stream
