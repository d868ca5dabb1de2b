#include "transform/expression/broadcast.hpp"

namespace staithe::transform::expression {

std::optional<Extents> broadcast(const Extents& a, const Extents& b) {
    const Extents& longer = a.size() >= b.size() ? a : b;
    const Extents& shorter = a.size() >= b.size() ? b : a;
    Extents shape = longer;
    const std::size_t first = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& length = shape[first + i];
        if (length != shorter[i] && length != 1 && shorter[i] != 1) {
            return std::nullopt;
        }
        length = length == 1 ? shorter[i] : length;
    }
    return shape;
}

}  // namespace staithe::transform::expression
