// The functions of a library that was loaded, got by their names.
#pragma once

#include "os/shared_library.hpp"

namespace staithe::transform::cuda {

/// Gets them, and knows whether one was missing.
class Functions {
  public:
    explicit Functions(const os::SharedLibrary& library) : library_(library) {}

    template <class Function>
    Functions& get(Function*& function, const char* name) {
        function = library_.function<Function>(name);
        if (function == nullptr) {
            missing_ = name;
        }
        return *this;
    }
    [[nodiscard]] const char* missing() const { return missing_; }

  private:
    const os::SharedLibrary& library_;
    const char* missing_ = nullptr;
};

}  // namespace staithe::transform::cuda
