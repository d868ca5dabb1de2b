// What other processes have told this one that they have: whoever cannot be connected to connects itself, and tells.
//
// An entry is believed while the link over which it came stands. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "transport/directory/entry.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

class Heard {
  public:
    /// In the place of what the same link said of it before. `limit_reached` if there are too many.
    base::Result<> take(Entry entry, const std::shared_ptr<Link>& from);
    void forget(Kind kind, const std::string& name, const std::shared_ptr<Link>& from);

    /// Of several the one that was told first.
    [[nodiscard]] std::optional<Entry> find(Kind kind, const std::string& name) const;
    [[nodiscard]] std::vector<Entry> list(Kind kind) const;

  private:
    struct Told {
        Entry entry;
        std::weak_ptr<Link> from;

        [[nodiscard]] bool holds() const {
            const auto link = from.lock();
            return link && link->is_open();
        }
    };

    mutable std::mutex mutex_;
    std::vector<Told> told_;
};

}  // namespace staithe::transport
