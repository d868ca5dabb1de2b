#include "os/kept_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "os/files.hpp"

namespace staithe::os {

namespace fs = std::filesystem;

base::Result<> make_kept_directory(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    return !error ? base::Result<>() : fail_with_errno(error.value(), "make the directory " + path);
}

base::Result<FileDescriptor> open_kept_file(const std::string& path) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!file) {
        return fail_with_errno(errno, "make the file " + path);
    }
    return file;
}

base::Result<> write_at(const FileDescriptor& file, std::int64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto count = ::pwrite(file.get(), bytes.data(), bytes.size(), offset);
        if (count < 0 && errno != EINTR) {
            return fail_with_errno(errno, fmt::format("write {} bytes", bytes.size()));
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
    return std::rename(draft.c_str(), path.c_str()) == 0 ? base::Result<>()
                                                         : fail_with_errno(errno, "rename " + draft + " to " + path);
}

}  // namespace staithe::os
