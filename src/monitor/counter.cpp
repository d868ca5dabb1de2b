#include "monitor/counter.hpp"

namespace staithe::monitor {

void TimeCounter::add(std::chrono::nanoseconds time) { nanoseconds_.add(time.count()); }

double TimeCounter::seconds() const { return static_cast<double>(nanoseconds_.value()) * 1e-9; }

}  // namespace staithe::monitor
