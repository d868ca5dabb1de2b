// Memory that a server has made for a writer rank, which writes its blocks there: it stays when the rank goes.
//
// The rank asks before it enlarges it, and says what it has given back. Once it has gone, what no step needs goes back
// to the system. Used under the director's mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "os/shared_memory.hpp"
#include "store/block_ref.hpp"

namespace staithe::stream {

class LeasedMemory {
  public:
    /// `name` is what /proc shows.
    static base::Result<std::unique_ptr<LeasedMemory>> make(const std::string& name);

    /// A descriptor for the rank, to write.
    [[nodiscard]] base::Result<os::FileDescriptor> pass_on() const { return file_.duplicate(); }
    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }

    /// The rank is about to use so much more. `limit_reached` if that is more than this process may keep, or if it
    /// would not leave so much for others: that is asked again when some has been given back, which may be theirs.
    base::Result<> lease(std::int64_t bytes, base::FunctionRef<std::int64_t()> for_others);
    /// So much went back to the system.
    void end_lease(std::int64_t bytes);
    /// Nobody writes here any more, and these blocks are needed: the rest goes back to the system.
    void keep_only(std::vector<store::BlockRef> blocks);
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  private:
    explicit LeasedMemory(os::FileDescriptor file) : file_(std::move(file)) {}
    void count(std::int64_t bytes);

    const os::FileDescriptor file_;
    std::int64_t bytes_ = 0;
    base::Claim claim_;
};

}  // namespace staithe::stream
