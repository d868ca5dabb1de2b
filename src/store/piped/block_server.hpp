// The other end of a PipedSource, in the process that keeps the blocks.
#pragma once

#include <cstddef>
#include <span>

#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "store/block_ref.hpp"

namespace staithe::store::piped {

/// All that is stored of a block, good until the next one is looked up; a failure, whose message goes to who asked, if
/// there is no such block.
using FindBlock = base::FunctionRef<base::Result<std::span<const std::byte>>(const BlockRef& ref)>;

/// Answers in this thread, until the other end is closed. `timeout`, if that takes no more of an answer for so long.
base::Result<> serve_blocks(const os::FileDescriptor& socket, FindBlock find, base::Seconds timeout);

}  // namespace staithe::store::piped
