// Which server a writer has its stream taken in by, and asking it.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "stream/directing/director_settings.hpp"
#include "stream/opening.hpp"
#include "transport/directory/search.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

/// Who takes a stream in.
struct HostingServers {
    std::shared_ptr<transport::Link> server;
    std::shared_ptr<transport::Link> twin;  // which has the same steps, as a stream of its own; null: none
};

/// For rank 0. The server that has the stream from an earlier writer, else one of this host, else any that can be
/// found, in the run directory or at the places: which one, the stream's name decides. `not_found` if there is none,
/// and none comes within moments; `already_exists` if the stream is written.
base::Result<HostingServers> open_in_server(const std::shared_ptr<transport::Endpoint>& endpoint,
                                            const DirectorSettings& settings, const transport::Places& places,
                                            const OpeningTime& time);
/// Rank 0 could not join it.
void abandon_in_server(transport::Link& server, const std::string& stream);

}  // namespace staithe::stream
