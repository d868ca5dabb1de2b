#include "base/interruption.hpp"

#include <atomic>

#include <staithe/waiting.hpp>

namespace staithe {
namespace {

std::atomic<bool (*)()> interruption_check{nullptr};

}  // namespace

void set_interruption_check(bool (*interrupted)()) noexcept { interruption_check.store(interrupted); }

namespace base {

bool can_be_interrupted() noexcept { return interruption_check.load() != nullptr; }

bool interrupted() {
    bool (*const check)() = interruption_check.load();
    return check != nullptr && check();
}

}  // namespace base
}  // namespace staithe
