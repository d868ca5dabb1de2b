#include "transport/fabric/fabric.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/config.hpp"
#include "os/fork.hpp"
#include "os/shared_library.hpp"

namespace staithe::transport::fabric {
namespace {

constexpr const char* plugin_file = "staithe_fabric.so";

/// Providers of adapters that do RDMA themselves, the best first, by how their names begin.
constexpr std::array<std::string_view, 4> taken_by_itself{"cxi", "opx", "efa", "verbs"};

base::Result<Plugin*> load() {
    const auto library = os::SharedLibrary::load(plugin_file);
    if (!library) {
        return base::fail(ErrorCode::not_found,
                          "libfabric cannot be used, whose plugin {} was not built with Staithe or does not load: {}",
                          plugin_file, library.error().message);
    }
    auto* const get = library->function<decltype(staithe_fabric_plugin_get)>("staithe_fabric_plugin_get");
    Plugin* const plugin = get != nullptr ? get(plugin_interface) : nullptr;
    return plugin != nullptr ? base::Result<Plugin*>(plugin)
                             : base::fail(ErrorCode::not_found, "{} is of another version of Staithe: build it again",
                                          plugin_file);
}

base::Result<Plugin*> plugin_of_this_process() {
    struct Once {
        std::once_flag loaded;
        base::Result<Plugin*> plugin = nullptr;
    };
    static std::atomic<bool> is_loaded{false};  // by this process or one that it was forked off
    static os::OnePerProcess<Once> once;
    Once& here = once.get();
    std::call_once(here.loaded, [&here] {
        here.plugin = is_loaded.exchange(true) ? base::fail(ErrorCode::system,
                                                            "this process was forked off one that uses libfabric, "
                                                            "which does not survive that")
                                               : load();
    });
    return here.plugin;
}

int rank_of(const Provider& provider) {
    const auto found = std::ranges::find_if(
        taken_by_itself, [&](std::string_view name) { return std::string_view(provider.name).starts_with(name); });
    return static_cast<int>(found - taken_by_itself.begin());
}

std::string list_of(const std::vector<Provider>& providers) {
    std::string text;
    for (const Provider& provider : providers) {
        text += (text.empty() ? "" : ", ") + to_string(provider);
    }
    return text.empty() ? "none" : text;
}

}  // namespace

base::Result<std::vector<Provider>> offers() {
    const std::string chosen = base::chosen_fabric();
    if (chosen == "off") {
        return base::fail(ErrorCode::not_found, "STAITHE_FABRIC is off");
    }
    const auto plugin = plugin_of_this_process();
    if (!plugin) {
        return base::fail(plugin);
    }
    const bool by_itself = chosen == "auto";
    auto providers = (*plugin)->providers(by_itself ? "" : chosen);
    if (by_itself) {
        std::erase_if(providers, [](const Provider& provider) { return rank_of(provider) == std::ssize(taken_by_itself); });
        std::ranges::stable_sort(providers, {}, rank_of);
    }
    if (providers.empty()) {
        return by_itself ? base::fail(ErrorCode::not_found, "there is no adapter for RDMA (verbs, cxi, efa, opx)")
                         : base::fail(ErrorCode::not_found,
                                      "libfabric has no provider '{}' here, which STAITHE_FABRIC names", chosen);
    }
    return providers;
}

base::Result<Provider> agree(const std::vector<Provider>& callers, const std::vector<Provider>& listeners) {
    for (const Provider& provider : callers) {
        if (std::ranges::find(listeners, provider) != listeners.end()) {
            return provider;
        }
    }
    return base::fail(ErrorCode::not_found, "the two have no provider of libfabric in common: {} there, {} here",
                      list_of(callers), list_of(listeners));
}

base::Result<std::unique_ptr<Port>> open(const Provider& provider, const std::string& host, Side side) {
    const auto plugin = plugin_of_this_process();
    return plugin ? (*plugin)->open(provider, host, side) : base::fail(plugin);
}

std::string to_string(const Provider& provider) { return provider.name + " " + provider.version; }

}  // namespace staithe::transport::fabric
