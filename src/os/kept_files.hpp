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

/// The same, and the disk has those that it makes.
base::Result<> make_durable_directory(const std::string& path);

/// To be written to; made if there is none, and else with what it has.
base::Result<FileDescriptor> open_kept_file(const std::string& path);

/// The same, to be read, too; `already_exists` if another process has it open so. Ends with the process. Those who open
/// it otherwise, and lock it with flock(), are not kept out.
base::Result<FileDescriptor> open_kept_file_alone(const std::string& path);

/// The directory in which the file lies.
[[nodiscard]] std::string directory_of(const std::string& path);

/// What `errno` says of one; a disk that is full is `limit_reached`.
[[nodiscard]] tl::unexpected<base::Failure> fail_on_disk(int error, const std::string& action);

/// All of it, from there on.
base::Result<> write_at(const FileDescriptor& file, std::int64_t offset, std::span<const std::byte> bytes);

/// Others see the old content or the new, also after a loss of power once the directory is synchronised. One at a time
/// may replace it: the draft beside it has always the same name, so that none is left behind for ever.
base::Result<> replace_kept_file(const std::string& path, std::string_view content);
/// The last part of it, of a draft that is on disk.
base::Result<> put_in_place(const std::string& draft, const std::string& path);
/// The name of that draft.
[[nodiscard]] std::string draft_of(const std::string& name);

}  // namespace staithe::os
