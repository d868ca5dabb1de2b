// Versions of a variable as they are completed: see <staithe/space.hpp>.
//
//     staithe::SpaceWatch watch = space.watch("T");
//     while (std::optional<std::int64_t> version = watch.next()) {
//         staithe::SpaceArray T = space.get("T", {.version = version});
//     }
//
// Each version comes once, in the order in which they became complete. The last one that came stays, whatever
// `Space::keep` says, until the next one is asked for or the watch goes; of others those are passed over that are gone
// before they are asked for.
//
// Blocking: `next` waits for as long as it takes, or the timeout. Threads: one at a time uses a watch.
// Errors: Timeout, PeerLost (the server).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <staithe/export.hpp>

namespace staithe {

namespace space {
struct Watched;
}  // namespace space

struct SpaceWatchOptions {
    bool oldest = false;              // begin with what is complete already; else with what will be
    std::optional<double> timeout{};  // seconds to wait for each; nothing: as long as it takes
};

class STAITHE_API SpaceWatch {
  public:
    SpaceWatch(SpaceWatch&&) noexcept;
    SpaceWatch& operator=(SpaceWatch&&) noexcept;
    SpaceWatch(const SpaceWatch&) = delete;
    SpaceWatch& operator=(const SpaceWatch&) = delete;
    ~SpaceWatch();

    /// The next one's number; nothing once the space is closed. After a Timeout it may be called again.
    [[nodiscard]] std::optional<std::int64_t> next();

  private:
    friend class Space;
    explicit SpaceWatch(std::unique_ptr<space::Watched> watched);
    std::unique_ptr<space::Watched> watched_;
};

}  // namespace staithe
