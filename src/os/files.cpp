#include "os/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "os/file_descriptor.hpp"
#include "os/process.hpp"

namespace staithe::os {

namespace fs = std::filesystem;

namespace {

/// A name beside `path` that no other thread or process uses.
std::string private_name(const std::string& path, const char* purpose) {
    static std::atomic<unsigned> names{0};
    return fmt::format("{}.{}.{}.{}", path, process_id(), names.fetch_add(1), purpose);
}

base::Result<std::string> write_draft(const std::string& path, const std::string& content) {
    std::string draft = private_name(path, "new");
    std::ofstream file(draft, std::ios::binary | std::ios::trunc);
    file << content;
    if (!file.flush()) {
        remove_file(draft);
        return base::fail(ErrorCode::system, "cannot write {}: is the disk full?", draft);
    }
    return draft;
}

}  // namespace

base::Result<> make_private_directory(const std::string& given) {
    const std::string path = given.substr(0, given.find_last_not_of('/') + 1);
    std::error_code error;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty()) {
        fs::create_directories(parent, error);  // a failure shows in mkdir
    }
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        return fail_with_errno(errno,
                               fmt::format("make the run directory {} (choose another with STAITHE_RUN_DIR)", path));
    }
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) {
        return fail_with_errno(errno, "look at the run directory " + path);
    }
    if (!S_ISDIR(status.st_mode) || status.st_uid != user_id() || (status.st_mode & 077) != 0) {
        return base::fail(ErrorCode::system,
                          "the run directory {} is not a directory that only this user can enter; remove it, run "
                          "`chmod 700 {}`, or choose another with STAITHE_RUN_DIR",
                          path, path);
    }
    return {};
}

base::Result<> write_atomically(const std::string& path, const std::string& content) {
    const auto draft = write_draft(path, content);
    if (!draft) {
        return base::fail(draft);
    }
    if (std::rename(draft->c_str(), path.c_str()) != 0) {
        const int error = errno;
        remove_file(*draft);
        return fail_with_errno(error, "rename " + *draft + " to " + path);
    }
    return {};
}

base::Result<> create_atomically(const std::string& path, const std::string& content) {
    const auto draft = write_draft(path, content);
    if (!draft) {
        return base::fail(draft);
    }
    const int status = ::link(draft->c_str(), path.c_str());
    const int error = errno;
    remove_file(*draft);
    if (status != 0) {
        return error == EEXIST ? base::fail(ErrorCode::already_exists, "{} is there already", path)
                               : fail_with_errno(error, "create " + path);
    }
    return {};
}

base::Result<std::string> read_file(const std::string& path, std::size_t limit) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        return errno == ENOENT ? base::fail(ErrorCode::not_found, "there is no {}", path)
                               : fail_with_errno(errno, "open " + path);
    }
    std::string content(limit + 1, '\0');
    std::size_t size = 0;
    for (;;) {
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

std::vector<std::string> list_directory(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path, error)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

void remove_file(const std::string& path) { ::unlink(path.c_str()); }

void remove_if_unchanged(const std::string& path, const std::string& content) {
    // Taken away under a private name first: whatever comes to `path` from now on is not touched.
    const std::string taken = private_name(path, "old");
    if (std::rename(path.c_str(), taken.c_str()) != 0) {
        return;
    }
    if (const auto found = read_file(taken); found && *found != content) {
        static_cast<void>(::link(taken.c_str(), path.c_str()));
    }
    remove_file(taken);
}

}  // namespace staithe::os
