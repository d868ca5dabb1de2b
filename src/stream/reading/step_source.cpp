#include "stream/reading/step_source.hpp"

#include <utility>

namespace staithe::stream {

base::Result<int> StepSource::descriptor(bool /*once*/) {
    if (!always_ready_) {
        auto event = os::Event::create();
        if (!event) {
            return base::fail(std::move(event));
        }
        always_ready_ = *std::move(event);
        always_ready_->set();
    }
    return always_ready_->descriptor();
}

base::Result<> StepSource::only_live(const char* action) const {
    return base::fail(ErrorCode::invalid_argument, "cannot {} '{}': nobody is writing it, all its steps are there",
                      action, name_);
}

}  // namespace staithe::stream
