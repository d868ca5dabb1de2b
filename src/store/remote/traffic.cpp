#include "store/remote/traffic.hpp"

#include "base/log.hpp"
#include "store/remote/saved_models.hpp"

namespace staithe::store::remote {

Traffic::~Traffic() {
    if (figures_.coded.empty()) {
        return;
    }
    SavedModels& models = SavedModels::of_process();
    for (const Coded& coded : figures_.coded) {
        models.keep(coded.offer, coded.chooser);
    }
    if (const auto saved = models.save(); !saved) {
        base::log(base::LogLevel::warn, "STAITHE_MODELS: {}", saved.error().message);
    }
}

}  // namespace staithe::store::remote
