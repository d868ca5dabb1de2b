#include "store/space/lock.hpp"

#include "base/text.hpp"

namespace staithe::store::space {

bool is_in_the_way(const Lock& other, const Lock& waiting) {
    return other.holder != waiting.holder && other.variable == waiting.variable &&
           (other.is_held() || other.request < waiting.request) && exclude(other.mode, waiting.mode) &&
           meet(other.box, waiting.box);
}

std::string describe_lock(const std::string& variable, LockMode mode, const Box& box) {
    return "'" + base::printable(variable) + "'" + (box.dimensions() == 0 ? "" : " " + staithe::to_string(box)) +
           (mode == LockMode::read ? " to read" : " to write");
}

std::string to_string(const Lock& lock) { return describe_lock(lock.variable->name, lock.mode, lock.box); }

}  // namespace staithe::store::space
