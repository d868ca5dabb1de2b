#include "os/shared_library.hpp"

#include <dlfcn.h>

#include <array>
#include <csignal>

namespace staithe::os {
namespace {

/// What the program does about signals stays as it is. libpsm2, which libfabric loads, would have Ctrl-C and SIGTERM
/// end the process with a list of addresses.
class KeptSignalActions {
  public:
    KeptSignalActions() {
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            ::sigaction(signals[i], nullptr, &actions_[i]);
        }
    }
    ~KeptSignalActions() {
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            ::sigaction(signals[i], &actions_[i], nullptr);
        }
    }
    KeptSignalActions(const KeptSignalActions&) = delete;
    KeptSignalActions& operator=(const KeptSignalActions&) = delete;

  private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE};
    std::array<struct sigaction, signals.size()> actions_{};
};

}  // namespace

base::Result<SharedLibrary> SharedLibrary::load(const std::string& name) {
    const KeptSignalActions kept;
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
