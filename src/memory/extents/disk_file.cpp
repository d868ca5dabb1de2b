#include "memory/extents/disk_file.hpp"

#include <utility>

#include "memory/extents/growing_file.hpp"

namespace staithe::memory {

base::Result<std::unique_ptr<ExtentSource>> disk_file(const std::string& directory) {
    auto file = os::create_disk_file(directory);
    if (!file) {
        return base::fail(std::move(file));
    }
    return std::make_unique<GrowingFile>(*std::move(file));
}

}  // namespace staithe::memory
