// Which of several servers that go on for each other leads the names of a home: asked anew when one is gone.
//
// Thread-safe.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::space {

class Leaders {
  public:
    /// The homes whose names that server leads.
    using Ask = std::function<base::Result<std::set<int>>(int rank)>;
    explicit Leaders(int servers);

    [[nodiscard]] int of(int home) const;
    /// Asks all of them until one says that it leads; nobody if none has done so in time.
    std::optional<int> look(int home, const Ask& ask, const base::Deadline& deadline);

  private:
    mutable std::mutex mutex_;
    std::vector<int> leaders_;  // by home
};

}  // namespace staithe::space
