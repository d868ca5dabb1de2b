#include "format/zarr/written_files.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "os/file_limit.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"

namespace staithe::format::zarr {

using base::fail;

base::Result<> WrittenFiles::open(File& file, const std::string& path) {
    const std::lock_guard lock(file.mutex);
    if (file.descriptor) {
        return {};
    }
    auto opened = os::open_kept_file(path);
    auto done = !opened ? fail(opened) : file.begins ? os::cut(*opened, 0) : base::Result<>();
    if (done) {
        file.descriptor = *std::move(opened);
    }
    return done;
}

base::Result<> WrittenFiles::write_to(File& file, const std::string& path, const Write& where,
                                      std::span<const std::byte> bytes, os::DirectWrites& direct) {
    const auto end = static_cast<std::uint64_t>(std::max(where.offset + std::ssize(bytes), where.size));
    if (auto may = os::check_size_of_file(end); !may) {
        return fail(may.error().code, "{}: {}", path, may.error().message);
    }
    if (auto opened = open(file, path); !opened) {
        return opened;
    }
    auto done = direct.write_at(file.descriptor, where.offset, bytes);
    if (done && where.offset == 0 && where.size > std::ssize(bytes)) {
        done = os::cut(file.descriptor, where.size);
    }
    return done ? done : fail(done.error().code, "{}: {}", path, done.error().message);
}

base::Result<std::shared_ptr<WrittenFiles::File>> WrittenFiles::begin(const Write& where, const std::string& path) {
    constexpr std::size_t most_files = 64;  // that are open
    if (files_.size() >= most_files) {
        if (auto done = synchronise(); !done) {
            return fail(std::move(done));
        }
    }
    folders_.insert(where.folder);
    if (where.offset == 0) {
        begun_.push_back(path);
    }
    std::shared_ptr<File>& file = files_[path];
    if (!file) {
        file = std::make_shared<File>(where.offset == 0);
    }
    return file;
}

base::Result<> WrittenFiles::write(const Write& where, std::span<const std::byte> bytes) {
    const std::string path = where.folder + "/" + where.name;
    const auto file = begin(where, path);
    return file ? write_to(**file, path, where, bytes, direct_) : fail(file);
}

base::Result<> WrittenFiles::write(const Write& where, const BytesToStore& bytes) {
    constexpr std::size_t least_bytes = std::size_t{16} << 10;  // to pass fewer on takes as long as writing them
    if (!bytes.keeps || bytes.bytes.size() < least_bytes) {
        return write(where, bytes.bytes);
    }
    std::string path = where.folder + "/" + where.name;
    auto file = begin(where, path);
    if (!file) {
        return fail(file);
    }
    writes_->begin([file = *std::move(file), path = std::move(path), where, bytes](os::DirectWrites& direct) {
        return write_to(*file, path, where, bytes.bytes, direct);
    });
    return {};
}

base::Result<> WrittenFiles::put_in_place(const std::string& folder, const std::string& name) {
    folders_.insert(folder);
    return os::put_in_place(folder + "/" + os::draft_of(name), folder + "/" + name);
}

base::Result<> WrittenFiles::synchronise() {
    writes_->await_all();
    for (const auto& [path, file] : std::exchange(files_, {})) {
        if (file->descriptor) {  // else its write failed
            synchronised_ = synchronised_ ? os::sync(file->descriptor) : std::move(synchronised_);
        }
    }
    for (const std::string& folder : std::exchange(folders_, {})) {
        synchronised_ = synchronised_ ? os::sync_directory(folder) : std::move(synchronised_);
    }
    return synchronised_;
}

void WrittenFiles::give_back(std::size_t from) {
    for (std::size_t i = from; i < begun_.size(); ++i) {
        files_.erase(begun_[i]);
        os::remove_file(begun_[i]);
    }
    begun_.resize(from);
}

void WrittenFiles::forget() {
    begun_.clear();
    files_.clear();
    folders_.clear();
    synchronised_ = {};
}

}  // namespace staithe::format::zarr
