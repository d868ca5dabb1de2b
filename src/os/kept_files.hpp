// Files that users keep, in which results lie: with the rights that their umask has, and safe from a loss of power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

/// And its parents; those that are there stay as they are.
base::Result<> make_kept_directory(const std::string& path);

/// To be written to; made if there is none, and else with what it has.
base::Result<FileDescriptor> open_kept_file(const std::string& path);

/// All of it, from there on.
base::Result<> write_at(const FileDescriptor& file, std::int64_t offset, std::span<const std::byte> bytes);

/// Others see the old content or the new, also after a loss of power once the directory is synchronised. One at a time
/// may replace it: the draft beside it has always the same name, so that none is left behind for ever.
base::Result<> replace_kept_file(const std::string& path, std::string_view content);
/// The name of that draft.
[[nodiscard]] std::string draft_of(const std::string& name);

}  // namespace staithe::os
