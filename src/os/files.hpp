// The few small files that Staithe keeps, the private run directory and what lies in it; and files of the user's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::os {

/// The path of a directory as it is without slashes at its end.
[[nodiscard]] std::string without_slashes(const std::string& path);

/// Who may reach what lies in a run directory.
enum class Reach {
    user,   // this user alone
    group,  // whoever its mode lets in, but not everybody: its users prove by other means who they are
};

/// Fails if a run directory that somebody chose cannot be meant: it is no directory, or it would have to be made in one
/// that is not there.
base::Result<> check_chosen_run_directory(const std::string& path_as_given);

/// Makes the directory (and its parents) with mode 0700. An existing one must be closed to those who may not reach it;
/// of reach `user`, it must belong to this user.
base::Result<> make_run_directory(const std::string& path_as_given, Reach reach = Reach::user);

/// Others see the old content or the new, never a part. Readable by this user, and by the group of a directory that is
/// open to that group alone.
base::Result<> write_atomically(const std::string& path, const std::string& content);

/// Empties the file, or makes it, for this user alone.
base::Result<FileDescriptor> create_file(const std::string& path);

/// All of it, at the end of the file.
base::Result<> append(const FileDescriptor& file, std::string_view content);

/// Waits until the disk has what was written to the file.
base::Result<> sync(const FileDescriptor& file);

/// The same of the names in a directory.
base::Result<> sync_directory(const std::string& path);

/// Takes away what the file has beyond that size.
base::Result<> cut(const FileDescriptor& file, std::int64_t size);

/// And no pipe, device or directory.
[[nodiscard]] bool is_regular_file(const FileDescriptor& file);

/// Fills `destination` with the bytes at `offset`, as far as the file has them: how many.
base::Result<std::size_t> read_at(const FileDescriptor& file, std::int64_t offset, std::span<std::byte> destination);

/// The content of a file of this user's that nobody else can read; refuses another.
base::Result<std::string> read_secret(const std::string& path, std::size_t limit);

/// `not_found` if there is none. At most `limit` bytes: what lies in a directory that others can reach is untrusted.
base::Result<std::string> read_file(const std::string& path, std::size_t limit = 1 << 20);

/// A small file to map and to change in place; made with mode 0600 if there is none.
base::Result<FileDescriptor> open_for_update(const std::string& path);

/// A file of the user's.
base::Result<FileDescriptor> open_for_reading(const std::string& path);

/// Names in a directory, sorted.
base::Result<std::vector<std::string>> read_directory(const std::string& path);
/// The same; none if there is no such directory, or nobody can tell.
std::vector<std::string> list_directory(const std::string& path);

/// Whether there is something of that name.
bool is_there(const std::string& path);

/// Whether it is certain that there is nothing of that name: what cannot be looked at may be there.
bool is_absent(const std::string& path);

/// No error if it was gone already.
void remove_file(const std::string& path);

/// Keeps other threads and processes that ask for it out, until the result goes; ends with the process, too.
base::Result<FileDescriptor> lock_directory(const std::string& path, const base::Deadline& deadline);

}  // namespace staithe::os
