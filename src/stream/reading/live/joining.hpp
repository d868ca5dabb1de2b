// How a reader rank gets its place in a live stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <staithe/options.hpp>

#include "base/result.hpp"
#include "stream/reading/live/connection.hpp"

namespace staithe::stream::live {

/// Where a reader begins: at a step that its user named, or after the last one that it got of a writer that died.
struct Beginning {
    std::int64_t step = start_oldest;
    bool goes_on = false;
};

/// Whether the options can mean anything.
base::Result<> check(const std::string& stream, const ReaderOptions& options);

/// Waits for the stream's writer, and takes a place: maps the pools, and says that it is ready. `chosen_timeout` is the
/// user's, for calls to the director.
base::Result<std::shared_ptr<Connection>> join(const std::string& stream, const ReaderOptions& options,
                                               const Beginning& beginning, const OpeningTime& time,
                                               std::optional<double> chosen_timeout);

/// For calls that the director answers at once.
base::Deadline deadline_of_answers(std::optional<double> chosen_timeout);

}  // namespace staithe::stream::live
