// Shared libraries that are loaded while the program runs.
#pragma once

#include <string>

#include "base/result.hpp"

namespace staithe::os {

/// Stays loaded until the process ends: its functions may be running, or be on their way back, at any time.
class SharedLibrary {
  public:
    /// By a path, or by a name that is looked for beside this library and where the system has libraries. `not_found`,
    /// with the system's words, if it cannot be loaded.
    static base::Result<SharedLibrary> load(const std::string& name);

    /// The function of that name and type, which nobody can check; null if there is none.
    template <class Function>
    [[nodiscard]] Function* function(const char* name) const {
        return reinterpret_cast<Function*>(symbol(name));
    }

  private:
    explicit SharedLibrary(void* handle) : handle_(handle) {}
    [[nodiscard]] void* symbol(const char* name) const;

    void* handle_;
};

}  // namespace staithe::os
