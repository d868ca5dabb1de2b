#include "store/space/name_list.hpp"

#include <array>

namespace staithe::store::space {

NameList::Place NameList::add(std::string_view name) {
    const Place place = bytes_.size();
    const auto head = static_cast<std::uint32_t>(name.size());
    std::array<char, sizeof(head)> text{};
    std::memcpy(text.data(), &head, sizeof(head));
    bytes_.append(text.data(), text.size());
    bytes_.append(name);
    return place;
}

void NameList::mark_removed(Place place) {
    const std::uint32_t head = head_at(place) | is_removed;
    std::memcpy(bytes_.data() + place, &head, sizeof(head));
    removed_ += sizeof(head) + (head & ~is_removed);
}

}  // namespace staithe::store::space
