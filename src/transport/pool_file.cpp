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

base::Result<std::vector<std::byte>> PoolFile::copy_of(std::int64_t offset, std::int64_t length) const {
    const auto size = os::size_of_file(file_);
    if (!size) {
        return base::fail(size);
    }
    // Before memory is taken for them.
    if (offset < 0 || length < 0 || offset > *size || length > *size - offset) {
        return fail_outside(offset, length);
    }
    std::vector<std::byte> copy(static_cast<std::size_t>(length));
    auto taken = read(offset, copy);
    return taken ? base::Result<std::vector<std::byte>>(std::move(copy)) : base::fail(std::move(taken));
}

}  // namespace staithe::transport
