// What a pool's memory comes from: a source of extents.
//
// An extent is memory that this process writes and that readers find by its offset. The source says what lies at which
// offset: it may extend a file of its own, or be given ranges of one that others extend, too. What is added to a source
// on the way, such as a budget, is a decorator: a source that stands on another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::memory {

/// Borrowed from its source: mapped as long as that lives, or until it is given back.
struct Extent {
    std::int64_t offset = 0;        // for readers; a multiple of a page
    std::span<std::byte> memory{};  // for this process, aligned to a page
};

/// Thread-safe: a pool makes an extent in one thread while it makes or gives back others in another.
class ExtentSource {
  public:
    ExtentSource() = default;
    ExtentSource(const ExtentSource&) = delete;
    ExtentSource& operator=(const ExtentSource&) = delete;
    virtual ~ExtentSource() = default;

    /// A new extent, at an offset where no other lies. Its `length` is a multiple of a page, and all its pages are
    /// there: `limit_reached` now if they cannot be had, and no signal at first use. Where others are asked for it, a
    /// deadline holds.
    virtual base::Result<Extent> make(std::int64_t length) = 0;

    /// Nobody uses the extent any more: its pages go back to where they came from. Its offset may be used again, even
    /// before this returns.
    virtual void give_back(const Extent& extent) = 0;
    /// Another process bounds what it has, of which all may be had again that is given back: other sources run out of
    /// file, or of addresses.
    [[nodiscard]] virtual bool is_lent() const { return false; }

    /// What readers and the director get, where they find extents at their offsets: a file of any file system on which
    /// they see what this process has written. They map it if it is a memory file that cannot shrink
    /// (os::check_shared_memory), and show what lies there; another one they read. Not open if they reach extents in
    /// another way.
    [[nodiscard]] virtual const os::FileDescriptor& file() const = 0;
};

}  // namespace staithe::memory
