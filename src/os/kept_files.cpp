#include "os/kept_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "os/files.hpp"

namespace staithe::os {

namespace fs = std::filesystem;

tl::unexpected<base::Failure> fail_on_disk(int error, const std::string& action) {
    return error == ENOSPC || error == EDQUOT
               ? base::fail(ErrorCode::limit_reached, "cannot {}: {}; make room on that disk", action,
                            std::generic_category().message(error))
               : fail_with_errno(error, action);
}

base::Result<> make_kept_directory(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    return !error ? base::Result<>() : fail_on_disk(error.value(), "make the directory " + path);
}

base::Result<> make_durable_directory(const std::string& path) {
    std::vector<std::string> parents;
    std::error_code error;
    for (std::string each = without_slashes(path); !each.empty() && !fs::is_directory(each, error);
         each = parents.back()) {
        parents.push_back(directory_of(each));
    }
    auto done = make_kept_directory(path);
    for (const std::string& parent : parents) {
        done = done ? sync_directory(parent) : std::move(done);
    }
    return done;
}

base::Result<FileDescriptor> open_kept_file(const std::string& path) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!file) {
        return fail_on_disk(errno, "make the file " + path);
    }
    return file;
}

base::Result<FileDescriptor> open_kept_file_alone(const std::string& path) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file) {
        return fail_on_disk(errno, "make the file " + path);
    }
    struct flock all{};
    all.l_type = F_WRLCK;
    all.l_whence = SEEK_SET;
    if (::fcntl(file.get(), F_OFD_SETLK, &all) != 0) {
        return errno == EAGAIN || errno == EACCES
                   ? base::fail(ErrorCode::already_exists, "another process writes to {}", path)
                   : fail_with_errno(errno, "lock the file " + path +
                                                " (where a file system has no locks, record elsewhere and copy it)");
    }
    return file;
}

std::string directory_of(const std::string& path) {
    const std::string directory = fs::path(path).parent_path().string();
    return directory.empty() ? "." : directory;
}

base::Result<> write_at(const FileDescriptor& file, std::int64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto count = ::pwrite(file.get(), bytes.data(), bytes.size(), offset);
        if (count < 0 && errno != EINTR) {
            return fail_on_disk(errno, fmt::format("write {} bytes", bytes.size()));
        }
        if (count > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            offset += count;
        }
    }
    return {};
}

std::string draft_of(const std::string& name) { return "." + name + ".new"; }

base::Result<> replace_kept_file(const std::string& path, std::string_view content) {
    const fs::path named(path);
    const std::string draft = (named.parent_path() / draft_of(named.filename().string())).string();
    {
        auto file = open_kept_file(draft);
        auto done = file ? cut(*file, 0) : base::fail(file);
        if (done) {
            done = write_at(*file, 0, std::as_bytes(std::span(content)));
        }
        if (done) {
            done = sync(*file);
        }
        if (!done) {
            remove_file(draft);
            return done;
        }
    }
    return put_in_place(draft, path);
}

base::Result<> put_in_place(const std::string& draft, const std::string& path) {
    return std::rename(draft.c_str(), path.c_str()) == 0 ? base::Result<>()
                                                         : fail_on_disk(errno, "rename " + draft + " to " + path);
}

}  // namespace staithe::os
