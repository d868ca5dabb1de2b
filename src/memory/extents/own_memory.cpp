#include "memory/extents/own_memory.hpp"

#include <utility>

#include "memory/extents/growing_file.hpp"

namespace staithe::memory {
base::Result<std::unique_ptr<ExtentSource>> own_memory(const std::string& name) {
    auto file = os::create_memory_file(name);
    if (!file) {
        return base::fail(std::move(file));
    }
    return std::make_unique<GrowingFile>(*std::move(file));
}

}  // namespace staithe::memory
