#include "transport/pool_file.hpp"

#include "os/files.hpp"

namespace staithe::transport {

base::Result<> PoolFile::check(const os::FileDescriptor& file) {
    if (!os::is_regular_file(file)) {
        return base::fail(ErrorCode::protocol, "a peer passed a pool on disk that is no file");
    }
    return {};
}

base::Result<> PoolFile::read(std::int64_t offset, std::span<std::byte> destination) const {
    const auto taken = offset < 0 ? base::Result<std::size_t>(0) : os::read_at(file_, offset, destination);
    if (!taken) {
        return base::fail(taken);
    }
    if (offset < 0 || *taken < destination.size()) {
        return base::fail(ErrorCode::protocol, "a peer named bytes {} + {} of its file, which are not there", offset,
                          destination.size());
    }
    return {};
}

}  // namespace staithe::transport
