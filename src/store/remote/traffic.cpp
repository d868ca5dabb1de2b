#include "store/remote/traffic.hpp"

#include "base/log.hpp"
#include "store/remote/saved_models.hpp"

namespace staithe::store::remote {

void Traffic::save_models() const {
    SavedModels& models = SavedModels::of_process();
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [variable, entry] : figures_.coded) {
            models.keep(entry.offer, entry.known.chooser);
        }
    }
    if (const auto saved = models.save(); !saved) {
        base::log(base::LogLevel::warn, "STAITHE_MODELS: {}", saved.error().message);
    }
}

}  // namespace staithe::store::remote
