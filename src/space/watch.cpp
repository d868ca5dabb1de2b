// Versions as they are completed.
#include <staithe/space_watch.hpp>

#include <algorithm>
#include <utility>

#include <staithe/space.hpp>

#include "space/described.hpp"
#include "space/door.hpp"
#include "space/keeper.hpp"
#include "stream/opening.hpp"

namespace staithe {

struct space::Watched {
    Space space;
    std::string variable;
    double timeout = base::forever;
    std::int64_t after = 0;          // the place of the last one
    std::optional<Found> current{};  // is pinned
};

SpaceWatch Space::watch(const std::string& variable, const SpaceWatchOptions& options) const {
    const auto keeper = this->keeper();
    base::value_or_raise(space::check_variable(variable));
    space::Watched watched{.space = *this, .variable = variable};
    watched.timeout = options.timeout ? timeout_of(options.timeout) : base::forever;
    if (!options.oldest) {
        auto versions = keeper->versions(variable);
        if (!versions && versions.error().code != ErrorCode::not_found) {
            base::raise(std::move(versions).error());
        }
        for (const space::Listed& listed : versions.value_or(std::vector<space::Listed>())) {
            watched.after = std::max(watched.after, listed.completion);
        }
    }
    return SpaceWatch(std::make_unique<space::Watched>(std::move(watched)));
}

SpaceWatch::SpaceWatch(std::unique_ptr<space::Watched> watched) : watched_(std::move(watched)) {}
SpaceWatch::SpaceWatch(SpaceWatch&&) noexcept = default;
SpaceWatch& SpaceWatch::operator=(SpaceWatch&&) noexcept = default;
SpaceWatch::~SpaceWatch() = default;

std::optional<std::int64_t> SpaceWatch::next() {
    space::Watched& watched = *watched_;
    watched.current.reset();
    if (watched.space.door_->is_closed()) {
        return std::nullopt;
    }
    const auto keeper = watched.space.keeper();
    const base::Deadline deadline(base::Seconds(watched.timeout), watched.space.door_->closing());
    auto found = keeper->find({.variable = watched.variable, .after = watched.after}, deadline);
    if (!found && deadline.is_stopped()) {
        return std::nullopt;
    }
    watched.current = base::value_or_raise(std::move(found));
    watched.after = watched.current->completion;
    return watched.current->version;
}

}  // namespace staithe
