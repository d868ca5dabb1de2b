#include "stream/directing/stream_state.hpp"

#include <utility>

#include "os/process.hpp"

namespace staithe::stream {

StreamState::StreamState(DirectorSettings given, transport::Peer own)
    : settings(std::move(given)),
      self(std::move(own)),
      tracer(settings.stream, 0),
      started(os::wall_clock_seconds()),
      members(settings.writers) {}

std::optional<base::Failure> StreamState::trouble() const {
    return queue->lost_writer() ? std::optional(loss()) : disagreement();
}

base::Failure StreamState::loss() const {
    if (!failure.empty()) {
        return {ErrorCode::writer_failed, fmt::format("stream '{}': {}", settings.stream, failure)};
    }
    const int rank = queue->lost_writer().value_or(0);
    return {ErrorCode::peer_lost, fmt::format("stream '{}': writer rank {}, {}, died", settings.stream, rank,
                                              transport::to_string(members.writer(rank).peer))};
}

std::optional<base::Failure> StreamState::disagreement() const {
    const auto found = queue->disagreement();
    if (!found) {
        return std::nullopt;
    }
    return base::Failure{
        ErrorCode::invalid_argument,
        fmt::format("stream '{}': writer rank {}, {}, closed after {} steps, but others wrote step {}: readers "
                    "do not get it, since all ranks must go through the same steps",
                    settings.stream, found->rank, transport::to_string(members.writer(found->rank).peer), found->step,
                    found->step)};
}

}  // namespace staithe::stream
