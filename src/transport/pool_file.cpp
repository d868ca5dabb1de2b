#include "transport/pool_file.hpp"

#include "os/files.hpp"
#include "os/shared_memory.hpp"

namespace staithe::transport {
namespace {

tl::unexpected<base::Failure> fail_outside(std::int64_t offset, std::int64_t length) {
    return base::fail(ErrorCode::protocol, "a peer named bytes {} + {} of its file, which are not there", offset,
                      length);
}

}  // namespace

base::Result<> PoolFile::check(const os::FileDescriptor& file) {
    if (!os::is_regular_file(file)) {
        return base::fail(ErrorCode::protocol, "a peer passed a pool that is no file");
    }
    return {};
}

base::Result<> PoolFile::read(std::int64_t offset, std::span<std::byte> destination) const {
    const auto taken = offset < 0 ? base::Result<std::size_t>(0) : os::read_at(file_, offset, destination);
    if (!taken) {
        return base::fail(taken);
    }
    if (offset < 0 || *taken < destination.size()) {
        return fail_outside(offset, static_cast<std::int64_t>(destination.size()));
    }
    return {};
}

/// Before memory is taken for it.
base::Result<> PoolFile::check_range(std::int64_t offset, std::int64_t length) const {
    const auto size = os::size_of_file(file_);
    if (!size) {
        return base::fail(size);
    }
    if (offset < 0 || length < 0 || offset > *size || length > *size - offset) {
        return fail_outside(offset, length);
    }
    return {};
}

base::Result<> PoolFile::check(const FilePart& part, std::int64_t length) {
    const bool can_be = part.offset >= 0 && part.bytes >= 0 && part.bytes <= INT64_MAX / 2 &&
                        part.offset <= INT64_MAX / 2 && part.first >= 0 && length >= 0 && part.first <= part.bytes &&
                        length <= part.bytes - part.first;
    return can_be ? base::Result<>() : fail_outside(part.offset, part.bytes);
}

base::Result<> PoolFile::read_part(const FilePart& part, std::span<std::byte> destination) const {
    auto checked = check(part, static_cast<std::int64_t>(destination.size()));
    return checked ? read(part.offset + part.first, destination) : checked;
}

base::Result<std::vector<std::byte>> PoolFile::copy_of_part(const FilePart& part, std::int64_t length) const {
    auto checked = check(part, length);
    if (checked) {
        checked = check_range(part.offset + part.first, length);
    }
    if (!checked) {
        return base::fail(std::move(checked));
    }
    std::vector<std::byte> copy(static_cast<std::size_t>(length));
    auto taken = read_part(part, copy);
    return taken ? base::Result<std::vector<std::byte>>(std::move(copy)) : base::fail(std::move(taken));
}

base::Result<std::vector<std::byte>> PoolFile::copy_of(std::int64_t offset, std::int64_t length) const {
    if (auto checked = check_range(offset, length); !checked) {
        return base::fail(std::move(checked));
    }
    std::vector<std::byte> copy(static_cast<std::size_t>(length));
    auto taken = read(offset, copy);
    return taken ? base::Result<std::vector<std::byte>>(std::move(copy)) : base::fail(std::move(taken));
}

}  // namespace staithe::transport
