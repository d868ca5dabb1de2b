#include "os/shared_library.hpp"

#include <dlfcn.h>

namespace staithe::os {

base::Result<SharedLibrary> SharedLibrary::load(const std::string& name) {
    // All symbols at once: one that is missing is found here, not in the middle of a call.
    void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* const why = ::dlerror();
        return base::fail(ErrorCode::not_found, "{}", why != nullptr ? why : name.c_str());
    }
    return SharedLibrary(handle);
}

void* SharedLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

}  // namespace staithe::os
