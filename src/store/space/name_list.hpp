// Names of variables, one behind the other in memory, in no order: to look at a million of them takes a tenth of the
// time that it takes to walk a tree, whose nodes lie anywhere. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace staithe::store::space {

class NameList {
  public:
    /// Where a name lies.
    using Place = std::size_t;

    Place add(std::string_view name);
    /// The name at that place is no more. When that was so of half of them the others move together: then calls
    /// moved(name, place) for each.
    template <class Moved>
    void remove(Place place, const Moved& moved) {
        mark_removed(place);
        if (removed_ <= bytes_.size() / 2) {
            return;
        }
        NameList dense;
        visit([&](std::string_view name) { moved(name, dense.add(name)); });
        *this = std::move(dense);
    }
    /// Calls visit(name) for each.
    template <class Visit>
    void visit(const Visit& visit) const {
        for (Place at = 0; at < bytes_.size();) {
            const std::uint32_t head = head_at(at);
            const std::string_view name(bytes_.data() + at + sizeof(head), head & ~is_removed);
            if ((head & is_removed) == 0) {
                visit(name);
            }
            at += sizeof(head) + name.size();
        }
    }
    /// That it takes, those of removed names included.
    [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

  private:
    static constexpr std::uint32_t is_removed = 1U << 31U;

    void mark_removed(Place place);
    [[nodiscard]] std::uint32_t head_at(Place place) const {
        std::uint32_t head = 0;
        std::memcpy(&head, bytes_.data() + place, sizeof(head));
        return head;
    }

    std::string bytes_;  // of each name its length, with whether it was removed, and its text
    std::size_t removed_ = 0;
};

}  // namespace staithe::store::space
