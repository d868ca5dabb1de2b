#include "store/remote/traffic.hpp"

#include "base/log.hpp"
#include "store/remote/saved_models.hpp"

namespace staithe::store::remote {
namespace {

/// Where they are scarce, connections end after each fetch.
constexpr base::Seconds between_saves{10};

}  // namespace

void Traffic::save_models() {
    SavedModels& models = SavedModels::of_process();
    {
        const std::lock_guard lock(mutex_);
        const auto now = base::Clock::now();
        if (saved_ && now - *saved_ < between_saves) {
            return;
        }
        saved_ = now;
        for (const auto& [variable, entry] : figures_.coded) {
            models.keep(entry.offer, entry.known.chooser);
        }
    }
    if (const auto saved = models.save(); !saved) {
        base::log(base::LogLevel::warn, "STAITHE_MODELS: {}", saved.error().message);
    }
}

}  // namespace staithe::store::remote
