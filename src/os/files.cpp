#include "os/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <thread>

#include "os/file_descriptor.hpp"
#include "os/kept_files.hpp"
#include "os/process.hpp"
#include "os/process_identity.hpp"
#include "os/uninterrupted.hpp"

namespace staithe::os {

namespace fs = std::filesystem;

namespace {

/// A name beside `path` that no other thread or process uses.
std::string private_name(const std::string& path, const char* purpose) {
    static std::atomic<unsigned> names{0};
    return fmt::format("{}.{}.{}.{}", path, names.fetch_add(1), to_string(this_process()), purpose);
}

/// What files of a directory shall be: for the group, too, where the directory is for that group and nobody else.
mode_t mode_of_files_in(const std::string& directory) {
    struct stat status{};
    const bool known = ::stat(directory.c_str(), &status) == 0;
    return known && (status.st_mode & 0070) != 0 && (status.st_mode & 0007) == 0 ? 0640 : 0600;
}

int write_all(int file, std::string_view content) {
    while (!content.empty()) {
        const auto count = ::write(file, content.data(), content.size());
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return 0;
}

base::Result<std::string> write_draft(const std::string& path, const std::string& content) {
    std::string draft = private_name(path, "new");
    const std::string directory = directory_of(path);
    const std::string action = "write " + draft;
    int error = 0;
    {
        const FileDescriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        error = !file ? errno : write_all(file.get(), content);
        if (file && error == 0 && ::fchmod(file.get(), mode_of_files_in(directory)) != 0) {
            error = errno;
        }
    }
    if (error != 0) {
        remove_file(draft);
        return fail_with_errno_in(directory, error, action);
    }
    return draft;
}

/// To open a named pipe would else wait for its writer.
constexpr int not_blocking = O_NONBLOCK;

tl::unexpected<base::Failure> no_file(const std::string& path) {
    return base::fail(ErrorCode::system, "cannot open {}: it is no file", path);
}

/// Whether a run directory that is there may be used, and else what is wrong with it.
base::Result<> check_run_directory(const std::string& path, Reach reach) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) {
        return fail_with_errno(errno, "look at the run directory " + path);
    }
    if (reach == Reach::group) {
        if (!S_ISDIR(status.st_mode) || (status.st_mode & 0007) != 0) {
            return base::fail(ErrorCode::system,
                              "the run directory {} is not a directory that is closed to all but a user and a group; "
                              "remove it, run `chmod 2770 {}`, or choose another with STAITHE_RUN_DIR",
                              path, path);
        }
        return {};
    }
    if (!S_ISDIR(status.st_mode) || status.st_uid != user_id() || (status.st_mode & 0077) != 0) {
        return base::fail(ErrorCode::system,
                          "the run directory {} is not a directory that only this user can enter; remove it, run "
                          "`chmod 700 {}`, or choose another with STAITHE_RUN_DIR. (Users who share a key, named by "
                          "STAITHE_KEY_FILE, may share a directory of their group)",
                          path, path);
    }
    return {};
}

}  // namespace

std::string without_slashes(const std::string& path) { return path.substr(0, path.find_last_not_of('/') + 1); }

base::Result<> check_chosen_run_directory(const std::string& path_as_given) {
    const std::string path = without_slashes(path_as_given);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_directory(status)) {
        return base::fail(ErrorCode::invalid_argument,
                          "STAITHE_RUN_DIR is '{}', which is no directory: choose one for contact files and sockets",
                          path_as_given);
    }
    const std::string parent = directory_of(path);
    if (status.type() == fs::file_type::not_found && !fs::is_directory(parent, error)) {
        return base::fail(ErrorCode::invalid_argument,
                          "STAITHE_RUN_DIR is '{}', but there is no directory '{}': check the name, or make it",
                          path_as_given, parent);
    }
    return {};
}

base::Result<> make_run_directory(const std::string& path_as_given, Reach reach) {
    const std::string path = without_slashes(path_as_given);
    std::error_code error;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty()) {
        fs::create_directories(parent, error);  // a failure shows in mkdir
    }
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        return fail_with_errno_in(directory_of(path), errno,
                                  fmt::format("make the run directory {} (choose another with STAITHE_RUN_DIR)", path));
    }
    return check_run_directory(path, reach);
}

base::Result<> write_atomically(const std::string& path, const std::string& content) {
    const auto draft = write_draft(path, content);
    if (!draft) {
        return base::fail(draft);
    }
    if (std::rename(draft->c_str(), path.c_str()) != 0) {
        const int error = errno;
        remove_file(*draft);
        return fail_with_errno_in(directory_of(path), error, "rename " + *draft + " to " + path);
    }
    return {};
}

base::Result<FileDescriptor> create_file(const std::string& path) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
    if (!file) {
        return fail_with_errno(errno, "make the file " + path);
    }
    return file;
}

base::Result<> append(const FileDescriptor& file, std::string_view content) {
    while (!content.empty()) {
        const auto count = ::write(file.get(), content.data(), content.size());
        if (count < 0 && errno != EINTR) {
            return fail_with_errno(errno, fmt::format("write {} bytes", content.size()));
        }
        content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return {};
}

base::Result<> sync(const FileDescriptor& file) {
    return uninterrupted([&] { return ::fdatasync(file.get()); }) == 0 ? base::Result<>()
                                                                       : fail_on_disk(errno, "write a file to disk");
}

base::Result<> sync_directory(const std::string& path) {
    const FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || uninterrupted([&] { return ::fsync(directory.get()); }) != 0) {
        return fail_on_disk(errno, "write the directory " + path + " to disk");
    }
    return {};
}

base::Result<> cut(const FileDescriptor& file, std::int64_t size) {
    return uninterrupted([&] { return ::ftruncate(file.get(), size); }) == 0
               ? base::Result<>()
               : fail_on_disk(errno, fmt::format("cut a file to {} bytes", size));
}

base::Result<std::string> read_file(const std::string& path, std::size_t limit) {
    constexpr std::size_t at_once = std::size_t{16} << 10;
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | not_blocking));
    if (!file) {
        return errno == ENOENT ? base::fail(ErrorCode::not_found, "there is no {}", path)
                               : fail_with_errno(errno, "open " + path);
    }
    if (!is_regular_file(file)) {
        return no_file(path);
    }
    std::string content;
    std::size_t size = 0;
    for (;;) {
        if (size == content.size()) {  // its size in advance, no file of /proc tells
            content.resize(std::min(limit + 1, std::max(2 * size, at_once)));
        }
        const auto count = ::read(file.get(), content.data() + size, content.size() - size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            // A file of /proc vanishes with its process.
            return errno == ESRCH ? base::fail(ErrorCode::not_found, "there is no {} any more", path)
                                  : fail_with_errno(errno, "read " + path);
        }
        size += static_cast<std::size_t>(count);
        if (count == 0 || size > limit) {
            break;
        }
    }
    content.resize(size);
    if (content.size() > limit) {
        return base::fail(ErrorCode::protocol, "{} is larger than {} bytes: it is none of Staithe's files", path,
                          limit);
    }
    return content;
}

bool is_regular_file(const FileDescriptor& file) {
    struct stat status{};
    return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

base::Result<std::size_t> read_at(const FileDescriptor& file, std::int64_t offset, std::span<std::byte> destination) {
    std::size_t done = 0;
    while (done < destination.size()) {
        const auto place = offset + static_cast<std::int64_t>(done);
        const auto count = ::pread(file.get(), destination.data() + done, destination.size() - done, place);
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return fail_with_errno(errno, "read a file");
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    return done;
}

base::Result<FileDescriptor> open_for_update(const std::string& path) {
    return open_descriptor("open " + path,
                           [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600); });
}

base::Result<FileDescriptor> open_for_reading(const std::string& path) {
    auto file =
        open_descriptor("open " + path, [&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | not_blocking); });
    return file && !is_regular_file(*file) ? no_file(path) : std::move(file);
}

base::Result<std::vector<std::string>> read_directory(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(path, error); entry != fs::directory_iterator(); entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    if (error) {
        return fail_with_errno(error.value(), "list the directory " + path);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> list_directory(const std::string& path) {
    return read_directory(path).value_or(std::vector<std::string>());
}

bool is_there(const std::string& path) {
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0;
}

bool is_absent(const std::string& path) {
    struct stat status{};
    return ::lstat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

void remove_file(const std::string& path) { ::unlink(path.c_str()); }

base::Result<std::string> read_secret(const std::string& path, std::size_t limit) {
    struct stat status{};
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file || ::fstat(file.get(), &status) != 0) {
        return fail_with_errno(errno, "read " + path);
    }
    if (!S_ISREG(status.st_mode) || status.st_uid != user_id() || (status.st_mode & 0077) != 0) {
        return base::fail(
            ErrorCode::system,
            "{} is not a file that belongs to this user and that nobody else can read: run `chmod 600 {}` "
            "on a copy of your own",
            path, path);
    }
    return read_file(fmt::format("/proc/self/fd/{}", file.get()), limit);
}

base::Result<FileDescriptor> lock_directory(const std::string& path, const base::Deadline& deadline) {
    FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
        return fail_with_errno(errno, "open the directory " + path);
    }
    // Tried again and again rather than waited for: a stopped process may hold it.
    while (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return fail_with_errno(errno, "lock the directory " + path);
        }
        if (deadline.passed()) {
            return base::fail(ErrorCode::timeout, "another process has kept the directory {} locked for {:g} s", path,
                              deadline.seconds());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return directory;
}

}  // namespace staithe::os
